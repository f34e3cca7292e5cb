import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, repository, run, type Outcome } from './harness';
import { Workspace } from './in-process';

interface Shown {
  result: {
    functions: { pattern: string; blocks: { lanes: number | null; waves: number | null; line: number | null }[] }[];
  };
}

interface Choice {
  kept: string | null;
  captured: Figures;
  variants: (Figures & { name: string; verdict: string; judgement: string })[];
  placed: { file: string; sha256: string } | null;
}

interface Figures {
  wave_instructions: number;
  scratch_wave_dwords: number;
}

type Programs = { own: number; counting: number; production: number; sampled: { changed: boolean }[] }[];

interface PageLine {
  file: string;
  line: number;
  waves: number | null;
  lanes: number | null;
}

/** The example's histogram has a loop, a barrier, atomics, and lanes that find their bin empty. */
describe('PGO of a captured kernel, without its app', () => {
  let workspace: Workspace;
  const project = 'kernels/hip-pipeline/histogram';
  const here = ['--reproducer', project];
  let original = '';

  const expectPass = (outcome: Outcome): void => {
    if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}: ${outcome.text}`);
  };
  const edit = (change: (text: string) => string): void =>
    workspace.write(`${project}/kernel_variant.hip`, change(original));

  beforeAll(async () => {
    workspace = Workspace.create(['examples/hip-pipeline', 'examples/batched-scale', 'examples/pgo-runtime']);
    const outcome = await workspace.kernloop(['extract', '--app', 'apps/hip-pipeline', '--kernel', 'histogram']);
    expectPass(outcome);
    original = workspace.read(`${project}/kernel_variant.hip`);
  });
  afterAll(() => workspace.remove());

  it('counts exactly what the host can count, and leaves the memory of the app alone', async () => {
    const outcome = await workspace.kernloop(['pgo-generate', ...here]);
    expectPass(outcome);
    expect(outcome.stderr).not.toMatch(/leaves other bytes/);
    expectPass(await workspace.kernloop(['pgo-merge', ...here]));
    const shown = await workspace.kernloop(['pgo', 'show', ...here, '--json']);
    expectPass(shown);
    const [kernel] = (JSON.parse(shown.stdout) as Shown).result.functions;
    const captured = workspace.json<{ geometry: { grid_blocks: number[]; block_threads: number[] } }>(
      `${project}/capture/capture.json`,
    );
    const lanes = (captured.geometry.grid_blocks[0] ?? 0) * (captured.geometry.block_threads[0] ?? 0);
    const counted = kernel?.blocks.map((block) => block.lanes);
    // Every thread enters, and all threads together add each of the 50,000 bytes once.
    expect([lanes, counted]).toEqual([8192, expect.arrayContaining([8192, 50_000])]);
    expect(kernel?.blocks.map(({ waves }) => waves)).toContain(8192 / 64);
  });

  it('is read by the tools of stock LLVM', async () => {
    const shown = await run('llvm-profdata-22', [
      'show',
      '--all-functions',
      '--counts',
      workspace.path(project, 'pgo/merged.profdata'),
    ]);
    expect([shown.code, shown.text]).toEqual([0, expect.stringMatching(/_ZN8pipeline9histogramEPKhPji/)]);
  });

  it('judges every variant, measures it, and keeps none that is wrong or worse than what there was', async () => {
    const outcome = await workspace.kernloop(['pgo-use', ...here]);
    expectPass(outcome);
    const { captured, kept, variants, placed } = workspace.json<Choice>(`${project}/pgo/choice.json`);
    expect(variants.map(({ name, verdict }) => [name, verdict])).toEqual(
      ['base', 'off', 'uniform', 'flatten', 'wave'].map((name) => [name, 'pass']),
    );
    const [base] = variants;
    const best = variants.find(({ name }) => name === kept);
    for (const reference of [captured, base]) {
      if (best === undefined || reference === undefined) continue;
      expect(best.wave_instructions).toBeLessThanOrEqual(reference.wave_instructions);
      expect(best.scratch_wave_dwords).toBeLessThanOrEqual(reference.scratch_wave_dwords);
      expect(best.wave_instructions + best.scratch_wave_dwords).toBeLessThan(
        reference.wave_instructions + reference.scratch_wave_dwords,
      );
    }
    expect(outcome.stdout).toMatch(kept === null ? /Nothing is kept/ : /Kept: /);
    expect(existsSync(workspace.path(project, 'build/optimized.hsaco'))).toBe(placed !== null);
    expect([kept === null, placed === null]).toEqual([kept === null, kept === null]);
  });

  it('has a page with the counts of each line beside its source, and what became of every build', async () => {
    const told = await workspace.kernloop(['pgo', 'show', ...here, '--json']);
    expectPass(told);
    const { result } = JSON.parse(told.stdout) as { result: { lines: PageLine[] } };
    const counted = result.lines.filter(({ file, lanes }) => /^kernel_variant\./.test(file) && (lanes ?? 0) > 0);
    // The head of the loop runs once for each value, and once for each thread to leave it.
    expect(counted.map(({ lanes }) => lanes)).toContain(50_000 + 8192);
    expectPass(await workspace.kernloop(['report', ...here, '--output', 'pgo.html']));
    const page = workspace.read('pgo.html');
    const rows = [...page.matchAll(/<tr class="l(\d)">([^]*?)<\/tr>/g)].map(([, level, row = '']) => [
      level,
      ...[...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].slice(0, 3).map(([, cell]) => cell),
    ]);
    const shown = (count: number | null): string => (count ?? 0).toLocaleString('en-US');
    for (const { line, waves, lanes } of counted)
      expect(rows).toContainEqual([expect.stringMatching(/^[1-4]$/), String(line), shown(waves), shown(lanes)]);
    const { variants } = workspace.json<Choice>(`${project}/pgo/choice.json`);
    for (const { name, wave_instructions: waveInstructions } of variants)
      expect(page).toMatch(new RegExp(`<td[^>]*>${name}</td>[^]{0,300}>${shown(waveInstructions)}</td>`));
  });

  it('does nothing a second time, and as tasks of Nx is a cache hit', async () => {
    const again = await workspace.kernloop(['pgo-use', ...here]);
    expect([again.code, again.text]).toEqual([0, expect.stringMatching(/nothing was changed since/)]);
    const target = 'hip-pipeline-histogram:pgo-use';
    expectPass(await workspace.nx(['run', target]));
    for (const folder of ['pgo/instrumented', 'pgo/raw', 'pgo/variants'])
      rmSync(workspace.path(project, folder), { recursive: true });
    const hit = await workspace.nx(['run', target]);
    expectPass(hit);
    for (const task of ['pgo-instrument', 'pgo-generate', 'pgo-build'])
      expect(hit.text).toMatch(new RegExp(`histogram:${task} +\\[local cache\\]`));
    expect(existsSync(workspace.path(project, 'pgo/variants/wave.hsaco'))).toBe(true);
  });

  it('refuses a profile of other control flow, and names the function', async () => {
    edit((text) => text.replace('if (local[threadIdx.x] != 0)', 'if (threadIdx.x < 300) if (local[threadIdx.x] != 0)'));
    const stale = await workspace.kernloop(['pgo-use', ...here]);
    expect([stale.code, stale.text]).toEqual([2, expect.stringMatching(/histogram[^]*\[PGO_PROFILE_STALE\]/)]);
    // Neither the old variants nor the kept one were taken for the edited source.
    const validated = await workspace.kernloop(['validate', ...here]);
    expect(validated.text).not.toMatch(/optimized/);
  });

  it('counts again after an edit, and an edit is a miss', async () => {
    const before = readFileSync(workspace.path(project, 'pgo/merged.profdata'));
    const missed = await workspace.nx(['run', 'hip-pipeline-histogram:pgo-merge']);
    expectPass(missed);
    expect(missed.text).not.toMatch(/pgo-instrument +\[local cache\]/);
    expect(readFileSync(workspace.path(project, 'pgo/merged.profdata'))).not.toEqual(before);
    expectPass(await workspace.kernloop(['pgo-use', ...here]));
    edit((text) => text);
  });

  it('never writes over a file of the user', async () => {
    for (const stage of ['pgo-generate', 'pgo-merge']) expectPass(await workspace.kernloop([stage, ...here]));
    rmSync(workspace.path(project, 'build'), { recursive: true, force: true });
    workspace.write(`${project}/build/optimized.hsaco`, 'mine');
    expectPass(await workspace.kernloop(['pgo-use', ...here]));
    expect(workspace.read(`${project}/build/optimized.hsaco`)).toBe('mine');
  });

  it('of the whole app: built once more, run, merged, rebuilt, and right in all eight kernels', async () => {
    const app = ['--app', 'apps/hip-pipeline'];
    const own = workspace.snapshot('apps/hip-pipeline/build');
    for (const stage of ['pgo-instrument', 'pgo-generate', 'pgo-merge'])
      expectPass(await workspace.kernloop([stage, ...app]));
    // On the host, every element is compared. The compiler gets the counts.
    const host = 'apps/hip-pipeline/.kernloop/pgo/merged.profdata';
    const shown = await run('llvm-profdata-22', ['show', '--counts', '--function=main', workspace.path(host)]);
    expect([shown.code, shown.text]).toEqual([
      0,
      expect.stringMatching(/ main:\n.*\n.*\n +Block counts: \[.*\b50000\b/),
    ]);
    const counted = readFileSync(workspace.path(host));
    workspace.write(host, 'no profile');
    const refused = await workspace.kernloop(['pgo-build', ...app, '--gate', 'wave']);
    expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/merged\.profdata/)]);
    writeFileSync(workspace.path(host), counted);
    // Control height reduction by a profile would duplicate convergent code, and block_sums would be wrong.
    expectPass(await workspace.kernloop(['pgo-build', ...app, '--gate', 'wave']));
    expectPass(await workspace.kernloop(['pgo-use', ...app]));
    const { builds } = workspace.json<{ builds: { name: string; right: boolean; kernels: unknown[] }[] }>(
      'apps/hip-pipeline/.kernloop/pgo/choice.json',
    );
    expect(builds.map(({ name, right, kernels }) => [name, right, kernels.length])).toEqual([
      ['own', true, 8],
      ['base', true, 8],
      ['wave', true, 8],
    ]);
    expect(workspace.snapshot('apps/hip-pipeline/build')).toEqual(own);
  });

  /** Compiled by the real clang and ptxas; the driver without a GPU runs host code instead, which counts nothing. */
  it('of CUDA: built, replayed with its counters, refused without counts, and judged by a profile', async () => {
    const cuda = 'kernels/probe/saxpy';
    const env = {
      CUDA_HOME: linkToolkit(),
      LD_LIBRARY_PATH: join(nativeDirectory, 'lib', 'cuda-fake'),
    };
    const kernloop = (...args: string[]): Promise<Outcome> => workspace.kernloop(args, { env });
    const program = workspace.path('cuda-probe');
    const source = join(repository, 'e2e', 'fixtures', 'cuda-fake', 'probe.cpp');
    expectPass(await run('c++', ['-std=c++20', '-O1', '-o', program, source, '-ldl']));
    const code = join(repository, 'native', 'fakes', 'cuda', 'test', 'data', 'test_kernels.sm_90.cubin');
    const kernels = [{ name: 'saxpy', match: '^saxpy\\(' }];
    workspace.write('apps/probe/kernloop.json', {
      name: 'probe',
      device: 'cuda',
      command: [program, code, 'saxpy'],
      kernels,
    });
    expectPass(await kernloop('extract', '--app', 'apps/probe'));
    writeCudaSource(cuda);

    const built = await kernloop('pgo-instrument', cuda);
    expectPass(built);
    expect(built.text).toMatch(/instrumented\.cubin built .*: \d+ counters in 1 function$/m);
    const counted = await kernloop('pgo-generate', cuda);
    expectPass(counted);
    expect(counted.text).not.toMatch(/leaves other bytes/);
    expectPass(await kernloop('pgo-merge', cuda));
    const uncounted = await kernloop('pgo-use', cuda);
    expect([uncounted.code, uncounted.text]).toEqual([2, expect.stringMatching(/counted nothing in _Z5saxpyfPKfPfi/)]);

    const [{ hash, counters }] = workspace.json<{ functions: [{ hash: string; counters: object[] }] }>(
      `${cuda}/pgo/instrumented/map.json`,
    ).functions;
    const profile = ['_Z5saxpyfPKfPfi', BigInt(hash), counters.length, ...counters.map(() => 5000)].join('\n');
    workspace.write('made.proftext', `:ir\n${profile}\n`);
    const [text, indexed] = [workspace.path('made.proftext'), workspace.path('made.profdata')];
    expectPass(await run('llvm-profdata-22', ['merge', '-o', indexed, text]));
    expectPass(await kernloop('pgo-merge', cuda, '--input', indexed));
    expectPass(await kernloop('pgo-use', cuda, '--iterations', '4'));
    const { kept, placed, variants } = workspace.json<Choice>(`${cuda}/pgo/choice.json`);
    expect(variants.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['base', 'pass'],
      ['use', 'pass'],
    ]);
    expect([placed !== null, existsSync(workspace.path(cuda, 'build/optimized.cubin'))]).toEqual([
      kept === 'use',
      kept === 'use',
    ]);
  });

  /** The driver without a GPU counts nothing: the test shows which code each launch ran, and where it was built. */
  it('of a kernel that NVRTC compiles: clang compiles it elsewhere, and the app runs in that code', async () => {
    const app = 'apps/nvrtc';
    const program = workspace.path('nvrtc-app');
    const source = join(repository, 'e2e', 'fixtures', 'cuda-fake', 'nvrtc.cpp');
    expectPass(await run('c++', ['-std=c++20', '-O1', '-o', program, source, '-ldl']));
    const toolkit = existsSync(workspace.path('toolkit')) ? workspace.path('toolkit') : linkToolkit();
    workspace.write('plain.cu', '__global__ void saxpy(float, const float*, float*, int) {}\n');
    const words = ['-x', 'cuda', '--cuda-device-only', '--no-gpu-bundle-output', '--offload-arch=sm_90', '-O3', '-c'];
    const headers = ['-nocudainc', '-nocudalib', '-D__global__=__attribute__((global))', `--cuda-path=${toolkit}`];
    const [plain, cubin] = [workspace.path('plain.cu'), workspace.path('plain.cubin')];
    expectPass(await run('clang++-22', [...words, ...headers, '-Wno-unknown-cuda-version', '-o', cubin, plain]));
    const libraries = ['cuda-fake', 'nvrtc-fake'].map((name) => join(nativeDirectory, 'lib', name)).join(':');
    workspace.write(`${app}/kernloop.json`, { name: 'nvrtc', device: 'cuda', command: [program, '40'] });
    const env = { LD_LIBRARY_PATH: libraries, FAKE_NVRTC_CUBIN: cubin };
    const options = ['pgo-runtime', '--app', app, '--measure-launches', '4', '--sample-one-in', '8', '--json'];
    const launches = async (more: Record<string, string>, ...words: string[]) => {
      const ran = await workspace.kernloop([...options, ...words], { env: { ...env, ...more } });
      expectPass(ran);
      const { programs } = (JSON.parse(ran.stdout) as { result: { programs: Programs } }).result;
      return programs.map(({ own, counting, production }) => [own, counting, production]);
    };
    // A machine without clang requests code, another builds it, and the first one continues.
    const withoutClang = { KERNLOOP_LLVM: workspace.path('no-llvm') };
    const withClang = { CUDA_HOME: toolkit };
    expect(await launches(withoutClang)).toEqual([[40, 0, 0]]);
    const build = async (): Promise<Outcome> =>
      workspace.kernloop(['pgo-runtime', '--app', app, '--phase', 'build'], { env: { ...env, ...withClang } });
    expect((await build()).text).toMatch(/: code with counters for sm_90$/m);
    // Code is measured in four launches; then one in eight checks whether the workload is unchanged.
    expect(await launches(withoutClang)).toEqual([[31, 9, 0]]);
    expect((await build()).text).toMatch(/: code with counters, code of 1 profile for sm_90$/m);
    expect(await launches(withoutClang)).toEqual([[0, 5, 35]]);
    expect(await launches(withoutClang, '--phase', 'production')).toEqual([[0, 0, 40]]);
  });

  /** Makes a toolkit from Triton's package, which has the parts of CUDA that clang needs. */
  function linkToolkit(): string {
    const libraries = join(repository, 'python', '.venv', 'lib');
    const version = readdirSync(libraries)[0] ?? '';
    const triton = join(libraries, version, 'site-packages', 'triton', 'backends', 'nvidia');
    mkdirSync(workspace.path('toolkit', 'nvvm'), { recursive: true });
    for (const [name, to] of [
      ['include', 'include'],
      ['bin', 'bin'],
      ['nvvm/libdevice', 'lib'],
    ] as const)
      symlinkSync(join(triton, to), workspace.path('toolkit', name));
    return workspace.path('toolkit');
  }

  /** Files that generate would write for a source compiled by nvcc. */
  function writeCudaSource(root: string): void {
    const source = `__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
`;
    for (const file of ['kernel_variant.cu', 'deps/saxpy.cu']) workspace.write(`${root}/${file}`, source);
    workspace.write(`${root}/kernel.json`, { ...workspace.json<object>(`${root}/kernel.json`), language: 'cuda' });
    const { code_object: code } = workspace.json<{ kernel: { code_object: string } }>(
      `${root}/capture/capture.json`,
    ).kernel;
    workspace.write(`${root}/pristine/recipe.json`, {
      ...{ schema: 'kernloop.recipe/1', language: 'cuda', symbol: '_Z5saxpyfPKfPfi', environment: {}, target: 'sm_90' },
      ...{ compiler: { name: 'nvcc', version: '13' }, arguments: ['-O3', '-x', 'cu'], main: 'saxpy.cu' },
      ...{ variant: { file: 'kernel_variant.cu', stands_for: 'saxpy.cu' }, signature: null, aliases: {}, files: {} },
      ...{ notes: [], code_object: { captured: code, recompiled: code } },
    });
    workspace.write(`${root}/pristine/overlay.template.json`, {
      ...{ version: 0, 'case-sensitive': true, 'use-external-names': true },
      roots: [
        {
          ...{ type: 'file', name: '{reproducer}/deps/saxpy.cu' },
          'external-contents': '{reproducer}/kernel_variant.cu',
        },
      ],
    });
  }

  it('on the target whose waves have 32 lanes: counts of waves, a verdict of every variant, and a choice', async () => {
    const app = 'apps/batched-scale';
    const reproducer = 'kernels/batched-scale/scale_batch';
    const onGfx1030 = ['--softgpu', 'gfx1030'];
    workspace.edit(`${app}/CMakeLists.txt`, (text) => text.replaceAll('gfx90a', 'gfx1030'));
    expectPass(await workspace.kernloop(['extract', '--app', app, ...onGfx1030]));
    expectPass(await workspace.kernloop(['pgo-generate', '--reproducer', reproducer, ...onGfx1030]));
    expectPass(await workspace.kernloop(['pgo-merge', '--reproducer', reproducer]));
    const shown = await workspace.kernloop(['pgo', 'show', '--reproducer', reproducer, '--json']);
    expectPass(shown);
    const [kernel] = (JSON.parse(shown.stdout) as Shown).result.functions;
    const { geometry } = workspace.json<{ geometry: { grid_blocks: number[]; block_threads: number[] } }>(
      `${reproducer}/capture/capture.json`,
    );
    const step = (geometry.grid_blocks[0] ?? 0) * (geometry.block_threads[0] ?? 0);
    const lengths = Array.from({ length: 16 }, (_, batch) => 500 + 377 * batch);
    const rounds = (lane: number, length: number): number => Math.max(0, Math.ceil((length - lane) / step));
    const waves = Array.from({ length: step / 32 }, (_, wave) => wave * 32);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    // The first lane of a wave has the maximum number of iterations in it.
    const visits = sum(lengths.flatMap((length) => waves.map((first) => rounds(first, length))));
    expect(kernel?.blocks).toContainEqual(expect.objectContaining({ lanes: sum(lengths), waves: visits }));
    expectPass(await workspace.kernloop(['pgo-use', '--reproducer', reproducer, ...onGfx1030]));
    const { variants, kept } = workspace.json<Choice>(`${reproducer}/pgo/choice.json`);
    expect(variants.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 5 }, () => 'pass'));
    expect([null, 'off', 'uniform', 'flatten', 'wave']).toContain(kept);
  });

  it('of a kernel that is compiled at run time: measured, then run by its profile, and measured again', async () => {
    const app = 'apps/pgo-runtime';
    for (const words of [
      ['-S', '.', '-B', 'build'],
      ['--build', 'build'],
    ])
      expectPass(await run('cmake', words, { cwd: workspace.path(app) }));
    const options = ['--gate', 'off', '--measure-launches', '4', '--sample-one-in', '8', '--window', '2', '--json'];
    const ran = await workspace.kernloop(['pgo-runtime', '--app', app, ...options]);
    expectPass(ran);
    const { programs } = (JSON.parse(ran.stdout) as { result: { programs: Programs } }).result;
    expect(programs).toMatchObject([{ own: 0, counting: 18, production: 62, measured: [{}, {}], refused: [] }]);
    expect(programs[0]?.sampled.filter(({ changed }) => changed)).toHaveLength(1);
    const again = await workspace.kernloop(['pgo-runtime', '--app', app, ...options, '--phase', 'production']);
    expectPass(again);
    expect((JSON.parse(again.stdout) as { result: { programs: Programs } }).result.programs).toMatchObject([
      { own: 0, counting: 0, production: 80 },
    ]);
  });
});
