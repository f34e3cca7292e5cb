import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, Workspace } from './harness';

/** What tools/python.mjs installs: Triton and NumPy in versions that it pins. */
const virtual = join(repository, 'python', '.venv');
const python = {
  PATH: `${join(virtual, 'bin')}:${process.env['PATH'] ?? ''}`,
  PYTHONPATH: join(repository, 'python', 'tests'),
  PYTHONDONTWRITEBYTECODE: '1',
  TRITON_CACHE_DIR: join(virtual, 'triton-cache'),
};

/** Triton's kernels in programs that know neither a GPU nor PyTorch. */
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

  it('captures the kernels of the tutorials, verified', async () => {
    const { kernels } = workspace.json<{ kernels: { name: string }[] }>('apps/triton/kernloop.json');
    const names = kernels.map(({ name }) => name);
    const outcome = await kernloop('capture', '--app', 'apps/triton');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('10 checks passed')]);
    const verified = Object.fromEntries(names.map((name) => [name, 'verified']));
    // Its rows add up under a lock, in the order in which they come.
    expect(verdicts('triton', names)).toEqual({ ...verified, layer_norm_backward: 'nondeterministic' });
    expect(names).toHaveLength(12);
  });

  it('captures the example, verified', async () => {
    const outcome = await kernloop('capture', '--app', 'apps/triton-softmax');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/softmax_long: 16 rows of 5000/)]);
    const kernels = ['softmax', 'softmax_long'];
    expect(verdicts('triton-softmax', kernels)).toEqual({ softmax: 'verified', softmax_long: 'verified' });
  });

  it('runs the example alone, on the software GPU that npm installed above it', async () => {
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
