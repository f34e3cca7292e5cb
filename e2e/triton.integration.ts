import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, repository, run } from './harness';
import { Workspace } from './in-process';

/** Packages that tools/python.mjs installs: Triton and NumPy in pinned versions. */
const virtual = join(repository, 'python', '.venv');
const python = {
  PATH: `${join(virtual, 'bin')}:${process.env['PATH'] ?? ''}`,
  PYTHONPATH: join(repository, 'python', 'tests'),
  PYTHONDONTWRITEBYTECODE: '1',
  TRITON_CACHE_DIR: join(virtual, 'triton-cache'),
};

interface Tuned {
  best: string | null;
  candidates: { key: string; is_base: boolean; status: string; score: { wave_instructions: number } | null }[];
}

/** Edits of the tutorials' kernels: the text, a right replacement, and a wrong one. */
const edits: [string, { from: string; right: string; wrong: string }][] = [
  [
    'vector_add',
    { from: 'mask=inside) + tl.load(y', right: 'mask=inside) * 1.0 + tl.load(y', wrong: 'mask=inside) - tl.load(y' },
  ],
  [
    'softmax',
    { from: 'powers / tl.sum(powers', right: 'powers / tl.sum(0.0 + powers', wrong: 'powers / tl.max(powers' },
  ],
  // The last launch writes the same as the autotuner's trials, so an edit of it would have no visible effect.
  ['matmul_first', { from: 'total.to(', right: '(total * 1.0).to(', wrong: '(total * 2.0).to(' }],
  ['layer_norm', { from: '* scale + shift', right: '* scale * 1.0 + shift', wrong: '* scale - shift' }],
  [
    'attention',
    { from: 'acc / sums[:, None]', right: '(acc * 1.0) / sums[:, None]', wrong: 'acc / (sums[:, None] + 1.0)' },
  ],
  ['dropout', { from: 'tl.rand(seed, at) > p', right: 'p < tl.rand(seed, at)', wrong: 'tl.rand(seed, at) < p' }],
];

/** Triton kernels in programs that use neither a GPU nor PyTorch. */
describe.each(['gfx90a', 'gfx1030'])('Triton on %s', (target) => {
  let workspace: Workspace;
  const on = ['--softgpu', target];
  const kernloop = (...args: string[]) => workspace.kernloop([...args, ...on], { env: python });
  const verdicts = (app: string, kernels: readonly string[]) =>
    Object.fromEntries(
      kernels.map((kernel) => [
        kernel,
        workspace.json<{ verdict: string }>(`kernels/${app}/${kernel}/capture/selfcheck.json`).verdict,
      ]),
    );

  beforeAll(() => {
    workspace = Workspace.create(['examples/triton-softmax', 'e2e/fixtures/triton']);
  });
  afterAll(() => workspace.remove());

  it('captures the kernels of the tutorials, verified, and makes projects of them that compile back to the captured code', async () => {
    const { kernels } = workspace.json<{ kernels: { name: string }[] }>('apps/triton/kernloop.json');
    const names = kernels.map(({ name }) => name);
    const outcome = await kernloop('extract', '--app', 'apps/triton');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('10 checks passed')]);
    const verified = Object.fromEntries(names.map((name) => [name, 'verified']));
    // layer_norm_backward adds rows under a lock, in the order of their arrival.
    expect(verdicts('triton', names)).toEqual({ ...verified, layer_norm_backward: 'nondeterministic' });
    expect(names).toHaveLength(13);
    // If Triton had the code in its cache from another folder, only the machine code is the same.
    const same = /recompiles to the captured code object, (byte for byte|with the same machine code)/g;
    expect(outcome.text.match(same)).toHaveLength(13);
  });

  it.each(edits)(
    '%s: a right edit passes, a wrong one fails, and the best of its configurations is one that passes',
    async (kernel, { from, right, wrong }) => {
      const project = `kernels/triton/${kernel}`;
      const source = `${project}/kernel_variant.py`;
      const judged = async (to: string) => {
        workspace.edit(source, (text) => text.replace(from, to));
        const made = await workspace.kernloop(['recompile', project], { env: python });
        expect([made.code, made.text]).toEqual([0, expect.any(String)]);
        const { code, stdout } = await kernloop('validate', project);
        workspace.edit(source, (text) => text.replace(to, from));
        return [code, /Result: \w+/.exec(stdout)?.[0]];
      };
      expect(workspace.read(source)).toContain(from);
      expect(await judged(right)).toEqual([0, 'Result: PASS']);
      expect(await judged(wrong)).toEqual([1, 'Result: FAIL']);
      const tuned = await kernloop('tune', project, '--set', 'num_warps=1,2,4', '--atol', '1e-3', '--rtol', '1e-3');
      expect([tuned.code, tuned.text]).toEqual([0, expect.any(String)]);
      const { candidates, best } = workspace.json<Tuned>(`${project}/build/tune/tune.json`);
      const passing = candidates.filter(({ status }) => status === 'pass');
      const least = Math.min(...passing.map(({ score }) => score?.wave_instructions ?? Number.NaN));
      const chosen = candidates.find(({ key, is_base: isBase }) => (best === null ? isBase : key === best));
      expect([candidates.length, chosen?.status, chosen?.score?.wave_instructions]).toEqual([3, 'pass', least]);
    },
  );

  it('captures the example, verified', async () => {
    const outcome = await kernloop('capture', '--app', 'apps/triton-softmax');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/softmax_long: 16 rows of 5000/)]);
    const kernels = ['softmax', 'softmax_long'];
    expect(verdicts('triton-softmax', kernels)).toEqual({ softmax: 'verified', softmax_long: 'verified' });
  });

  it('runs the example alone, on the software GPU that npm installed above it', async () => {
    workspace.withPackages();
    cpSync(join(repository, 'python', 'src'), workspace.path('site'), { recursive: true });
    const cwd = workspace.path('apps/triton-softmax');
    const words = ['-m', 'kernloop.triton', '--target', target, 'softmax.py'];
    const env = { ...workspace.settings().env, ...python, PYTHONPATH: workspace.path('site') };
    const outcome = await run('python3', words, { cwd, env });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/softmax: 64 rows of 1000/)]);
    const where = await run(
      'python3',
      ['-c', 'from kernloop.softgpu.library import find_runtime; print(find_runtime())'],
      { cwd, env },
    );
    expect(where.text).toContain(workspace.path('node_modules', '@kernloop'));
  });
});

/** A program that launches Triton kernels on tensors, and knows neither of Kernloop nor of the software GPU. */
describe('a Triton program without a GPU', () => {
  const workspace = Workspace.create([]);
  const folder = newFolder();
  const kernloop = (...args: string[]) => workspace.kernloop(args, { cwd: folder, env: python });

  beforeAll(() => cpSync(join(repository, 'e2e/fixtures/triton-plain'), folder, { recursive: true }));
  afterAll(() => {
    workspace.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs on the software GPU, where its kernels are extracted and judged', async () => {
    const profiled = await kernloop('profile', '--', 'python3', 'plain.py');
    expect([profiled.code, profiled.text]).toEqual([0, expect.stringMatching(/doubled 198\.0[^]*double\n/)]);
    const extracted = await kernloop('extract', '-k', 'double', '--', 'python3', 'plain.py');
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringMatching(/ verified [^]*kernel_variant\.py/)]);
    const source = join(folder, 'kernels/plain/double/kernel_variant.py');
    writeFileSync(source, readFileSync(source, 'utf8').replace('* 2', '* 3'));
    const judged = await kernloop('validate', 'kernels/plain/double');
    expect([judged.code, judged.text]).toEqual([1, expect.stringContaining('Result: FAIL')]);
  });

  it('needs no package of Kernloop in its Python', async () => {
    const hidden =
      'import runpy, sys; sys.path[:] = [p for p in sys.path if not p.endswith("python/src")]; runpy.run_path("plain.py", run_name="__main__")';
    const found = await kernloop('profile', '--', 'python3', '-c', hidden);
    expect([found.code, found.text]).toEqual([0, expect.stringMatching(/doubled 198\.0[^]*double\n/)]);
    const off = await workspace.kernloop(['profile', '--', 'python3', 'plain.py'], {
      cwd: folder,
      env: { ...python, KERNLOOP_TRITON_RECORD: 'off' },
    });
    expect([off.code, off.text]).toEqual([2, expect.stringMatching(/0 active drivers[^]*KERNLOOP_TRITON_RECORD=off/)]);
  });
});
