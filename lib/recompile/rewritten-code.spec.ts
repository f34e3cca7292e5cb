import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { assemble } from '../probe/ptx/testing/shapes';
import { openReproducer } from '../reproducer/reproducer';
import type { ReplaySession } from '../replay/session';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { flag } from '../testing/fake-programs';
import { kernelJson, reproducerForEachTest } from '../testing/workspace';
import { overlayTemplate } from '../toolchain/overlay';
import { recompileOptionsSchema } from './options';
import { recompile } from './recompile';
import { rewrittenCode } from './rewritten-code';

const kernel = (number: number): string => `.version 8.0 .target sm_90 .address_size 64
.visible .entry scale(.param .u64 scale_0) {
.reg .b64 %rd<2>; ld.param.u64 %rd1, [scale_0]; st.global.u32 [%rd1], ${number};
ret; }
`;
const rewrite = (ptx: string): { ptx: string } => ({ ptx: ptx.replace('ret;', 'bar.sync 0; ret;') });

const cuda = {
  language: 'cuda',
  symbol: 'scale',
  device: { kind: 'cuda', isa: 'sm_90' },
  source: { file: 'app/k.cu', line: 1, translation_unit: 'app/k.cu', variant: 'kernel_variant.cu' },
};

describe('code that is rewritten', () => {
  const made = reproducerForEachTest();
  let steps: string[];
  /** PTX compiled from the sources. */
  let fresh: string;
  let deps: FakeDeps;
  let session: ReplaySession;
  const kept = (): string => join(made.reproducer, 'build', 'variant.ptx');

  beforeEach(() => {
    const { workspace, reproducer } = made;
    const nvcc = workspace.write('bin/nvcc', '');
    chmodSync(nvcc, 0o755);
    const recipe = {
      ...{ schema: 'kernloop.recipe/1' as const, language: 'cuda' as const, symbol: 'scale', environment: {} },
      ...{ compiler: { name: 'nvcc', version: '13.0' }, arguments: ['-O3', '-x', 'cu'], main: 'k.cu', target: 'sm_90' },
      ...{
        variant: { file: 'kernel_variant.cu', stands_for: 'k.cu' },
        signature: null,
        aliases: {},
        files: {},
        notes: [],
      },
      code_object: { captured: 'a'.repeat(64), recompiled: 'a'.repeat(64), same_machine_code: true },
    };
    workspace.write('kernels/app/saxpy/pristine/recipe.json', recipe);
    workspace.write('kernels/app/saxpy/pristine/overlay.template.json', overlayTemplate(recipe));
    workspace.write('kernels/app/saxpy/kernel.json', kernelJson(cuda));
    for (const file of ['kernel_variant.cu', 'deps/k.cu']) workspace.write(`kernels/app/saxpy/${file}`, '');
    steps = [];
    fresh = kernel(1);
    deps = fakeDeps(
      {
        nvcc: ({ args, options }) => {
          if (args.includes('--version')) return { stdoutTail: 'Cuda compilation tools, release 13.0, V13.0.88\n' };
          const step = args.includes('-ptx') ? 'front end' : 'assembler';
          steps.push(step);
          if (step === 'front end') writeFileSync(join(options.cwd ?? '', '.kernloop.d'), 'variant: kernel_variant.cu');
          const output = resolve(options.cwd ?? '', flag(args, '-o') ?? '');
          const input = resolve(options.cwd ?? '', args.at(-1) ?? '');
          try {
            writeFileSync(output, step === 'front end' ? fresh : assemble(readFileSync(input, 'utf8')).cubin);
            return 0;
          } catch (error) {
            options.onStderr?.(String(error));
            return { exitCode: 255, stderrTail: String(error) };
          }
        },
      },
      workspace.native,
      { env: { PATH: dirname(nvcc) } },
    );
    const path = workspace.write('kernels/app/saxpy/build/variant.cubin', '');
    writeFileSync(path, assemble(fresh).cubin);
    session = {
      reproducer: openReproducer(reproducer),
      code: { kind: 'variant', path, shown: 'build/variant.cubin', sha256: 'a'.repeat(64) },
      request: {},
      capture: { kernel: { symbol: 'scale' } },
    } as unknown as ReplaySession;
  });

  const originOf = async (lineInfo = false): Promise<{ original: string; steps: string[] }> => {
    const { original, cubin } = await rewrittenCode(session, { rewrite, threads: 32, lineInfo }, deps);
    expect(cubin).toEqual(assemble(rewrite(original).ptx).cubin);
    return { original, steps: steps.sort() };
  };

  it('is of the PTX that recompile kept, without the front end, if that assembles to it', async () => {
    writeFileSync(kept(), fresh);
    expect(await originOf()).toEqual({ original: fresh, steps: ['assembler', 'assembler'] });
  });

  it.each([
    ['was changed since', () => kernel(2)],
    ['is none', () => 'not PTX'],
  ])('is of the sources if that PTX %s', async (_why, text) => {
    writeFileSync(kept(), text());
    expect((await originOf()).original).toBe(fresh);
    expect(steps).toContain('front end');
  });

  it('is of the sources if a FIFO is in its place, which nobody waits for', async () => {
    execFileSync('mkfifo', [kept()]);
    expect(await originOf()).toEqual({ original: fresh, steps: ['assembler', 'front end'] });
  });

  it('is of the sources if none was kept, or the lines are wanted', async () => {
    expect(await originOf()).toEqual({ original: fresh, steps: ['assembler', 'front end'] });
    writeFileSync(kept(), fresh);
    steps = [];
    expect(await originOf(true)).toEqual({ original: fresh, steps: ['assembler', 'front end'] });
  });

  it('has no PTX kept of a source that recompile refuses, which would look like a file of the user', async () => {
    const recompiled = (): Promise<unknown> =>
      recompile(recompileOptionsSchema.parse({ reproducer: made.reproducer }), deps);
    rmSync(join(made.reproducer, 'build'), { recursive: true });
    await recompiled();
    expect(readFileSync(kept(), 'utf8')).toBe(fresh);
    made.workspace.write('kernels/app/saxpy/kernel_variant.cu', '__has_include("kernel.json")');
    fresh = kernel(2);
    expect((await failure(recompiled())).exitCode).not.toBe(0);
    made.workspace.write('kernels/app/saxpy/kernel_variant.cu', '');
    await recompiled();
    expect(readdirSync(join(made.reproducer, 'build')).sort()).toEqual([
      'variant.cubin',
      'variant.json',
      'variant.ptx',
    ]);
  });

  it('is an error of the rewriting, not of the kept PTX, if only the rewritten one does not assemble', async () => {
    writeFileSync(kept(), fresh);
    const wrong = (ptx: string): { ptx: string } => ({ ptx: ptx.replace('ret;', 'no.such; ret;') });
    const found = await failure(rewrittenCode(session, { rewrite: wrong, threads: 32 }, deps));
    expect(found.code).toBe('COMPILE_FAILED');
    expect(found.what).toContain('ptxas does not take the rewritten kernel');
    expect(steps).not.toContain('front end');
  });
});
