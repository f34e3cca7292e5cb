import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativePathsIn } from '../native/native-paths';
import { adopt } from '../adopt/adopt';
import { sha256OfFile } from '../support/files';
import { failure } from '../testing/failure';
import { fakeDeps, type Call, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import type { Recipe } from '../toolchain/recipe';
import { recompile } from '../recompile/recompile';
import { twoUnitsCubin } from '../toolchain/testing/fake-nvcc';
import { generate } from './generate';
import { write } from './testing/fixture';

const symbol = '__nv_static_25__2c443d97_4_a_cu_43cf90c4__Z5alonePfi';
const source = '#include "two.h"\n__global__ void alone(float* x, int n) { x[n] = TWO; }\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a kernel that the app compiled at run time', () => {
  let workspace: string;
  let deps: FakeDeps;
  /** Arguments of kernloop-nvrtc, and its version. */
  let compilations: Record<string, string[]>[];
  let version: string;
  const reproducer = (): string => join(workspace, 'kernels/demo/k');

  /** Values by option; files are recorded by their contents. */
  function nvrtc({ args, options, print }: Call): number {
    const told: Record<string, string[]> = {};
    for (let at = 0; at < args.length; at += 2) (told[args[at] ?? ''] ??= []).push(args[at + 1] ?? '');
    if (args.includes('--describe')) {
      print({ event: 'nvrtc', version });
      return 0;
    }
    const contents = (option: string): string[] => (told[option] ?? []).map((path) => readFileSync(path, 'utf8'));
    compilations.push({ ...told, '--source': contents('--source'), '--header-file': contents('--header-file') });
    if (contents('--source').join().includes('#error')) {
      options.onStderr?.('k.cu(3): error: no\n');
      return 1;
    }
    copyFileSync(twoUnitsCubin, told['--output']?.[0] ?? '');
    return 0;
  }

  function captured(program: object = {}): void {
    const sha256 = sha256OfFile(twoUnitsCubin);
    const region = { id: 'r0', base: '0x7f0000000000', size: 64, pre: { chunks: [null] }, post: { chunks: [null] } };
    const capture = {
      ...{ schema: 'kernloop.capture/1', app: { name: 'demo' }, dispatch: { ordinal: 1, index: 3 }, regions: [region] },
      ...{ device: { kind: 'cuda', identity: 'x', isa: 'sm_90' }, code_objects: [{ sha256, content: { chunks: [] } }] },
      ...{ geometry: { grid_blocks: [1, 1, 1], block_threads: [1, 1, 1] }, kernarg: { hex: '', slots: [] } },
      kernel: { name: 'alone(float*, int)', symbol, code_object: sha256 },
      scope: { mode: 'reachable', tracked_regions: 1, tracked_bytes: 64 },
    };
    const recorded = {
      ...{ schema: 'kernloop.nvrtc/1', matched_by: 'code_object', version: [13, 0], name: 'k.cu' },
      source: base64(source),
      headers: [
        { name: 'two.h', content: base64('#define TWO 2\n') },
        { name: '/abs/../x.h', content: base64('absolute') },
        { name: '../..', content: base64('upward') },
        { name: 'two.h/below.h', content: base64('in the way') },
      ],
      options: ['-arch', 'sm_90', '-DX="a b"', '--use_fast_math'],
      name_expressions: ['alone'],
      ...program,
    };
    write(join(reproducer(), 'capture/capture.json'), JSON.stringify(capture));
    write(join(reproducer(), 'capture/nvrtc.json'), JSON.stringify(recorded));
  }

  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), 'kernloop generate-nvrtc-'));
    compilations = [];
    version = '13.0';
    write(join(workspace, 'nx.json'), '{}');
    write(join(workspace, 'libnvrtc.so.13'), '');
    const kernels = [{ name: 'k', match: 'alone' }];
    write(
      join(workspace, 'app/kernloop.json'),
      JSON.stringify({ name: 'demo', device: 'cuda', command: ['x'], kernels }),
    );
    const archive: FakeProgram = (call) => {
      const { args } = call;
      copyFileSync(twoUnitsCubin, args[args.indexOf('--output') + 1] ?? '');
      return 0;
    };
    deps = fakeDeps({ 'kernloop-nvrtc': nvrtc, 'kernloop-archive': archive }, nativePathsIn('/nowhere'), {
      env: { KERNLOOP_NVRTC: join(workspace, 'libnvrtc.so.13') },
    });
  });
  afterEach(() => rmSync(workspace, { recursive: true }));

  const generated = () => generate({ app: join(workspace, 'app'), kernel: 'k', compileLimitSeconds: 10 }, deps);
  const recipeOf = (pristine: string): Recipe =>
    JSON.parse(readFileSync(join(pristine, 'recipe.json'), 'utf8')) as Recipe;

  it('becomes a project of what the app passed to NVRTC', async () => {
    captured();
    const result = await generated();
    expect(result).toMatchObject({ language: 'cuda', identical: true, source: 'nvrtc:k.cu', notes: [] });
    expect(compilations).toMatchObject([
      {
        '--source': [source],
        '--name': ['k.cu'],
        '--header-name': ['two.h', '/abs/../x.h', '../..', 'two.h/below.h'],
        '--header-file': ['#define TWO 2\n', 'absolute', 'upward', 'in the way'],
        '--name-expression': ['alone'],
        '--option': ['--gpu-architecture=sm_90', '-DX="a b"', '--use_fast_math'],
      },
    ]);
    expect(result.files).toEqual(
      expect.arrayContaining(['kernel_variant.cu', 'deps/two.h', 'deps/_headers/1-x.h', 'deps/_headers/2-..']),
    );
    expect(readFileSync(join(result.pristine, 'kernel_variant.cu'), 'utf8')).toBe(source);
    const project = JSON.parse(readFileSync(join(result.pristine, 'kernel.json'), 'utf8')) as object;
    expect(project).toMatchObject({ language: 'cuda', source: { file: 'nvrtc:k.cu', line: 2 } });
    for (const file of result.files) expect(readFileSync(join(result.pristine, file), 'utf8')).not.toContain(workspace);
  });

  it('is recompiled without the app, and notices edits', async () => {
    captured();
    await generated();
    await adopt({ reproducer: reproducer(), reset: false }, deps);
    const again = () => recompile({ reproducer: reproducer(), compileLimitSeconds: 10 }, deps);
    const result = await again();
    expect(result).toMatchObject({ unchanged: true });
    expect(result.sources).toContain('kernel_variant.cu');
    expect(result.sources).toContain('deps/two.h');
    writeFileSync(join(reproducer(), 'kernel_variant.cu'), '#error');
    const error = await failure(again());
    expect(error).toMatchObject({ code: 'COMPILE_FAILED' });
    expect(error.what).toContain('kernel_variant.cu did not compile');
  });

  it('says what differs from the app', async () => {
    captured({ matched_by: 'symbol', options: ['--gpu-architecture=compute_80', '-I/opt/x', '-dlto'], name: null });
    const { notes, pristine } = await generated();
    expect(recipeOf(pristine).arguments).toEqual(['--gpu-architecture=sm_90', '-I/opt/x']);
    expect(compilations[0]).not.toHaveProperty('--name');
    for (const text of ['compute_80', '/opt/x', '-dlto', 'told by its name']) expect(notes.join('\n')).toContain(text);
  });

  it('refuses relocatable code', async () => {
    captured({ options: ['-rdc=true'] });
    expect(await failure(generated())).toMatchObject({ code: 'RDC_UNSUPPORTED' });
  });

  it('warns of another NVRTC, and fails without one', async () => {
    captured();
    version = '12.9';
    await generated();
    expect(deps.said.warn.join()).toContain('the code may differ');
    rmSync(join(workspace, 'libnvrtc.so.13'));
    expect(await failure(generated())).toMatchObject({ code: 'ENVIRONMENT_NVRTC_MISSING', exitCode: 5 });
  });
});
