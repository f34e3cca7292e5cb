import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, type Outcome } from './harness';
import { Workspace } from './in-process';

/** Packages that tools/python.mjs installs: Triton and NumPy in pinned versions. */
const virtual = join(repository, 'python', '.venv');
const withPython = {
  PATH: `${join(virtual, 'bin')}:${process.env['PATH'] ?? ''}`,
  PYTHONDONTWRITEBYTECODE: '1',
};

/** One app, run once per target: a Gluon kernel that becomes a project, and three that cannot. */
describe('a program with Gluon', () => {
  let workspace: Workspace;
  // Code compiled in another workspace would name the files there.
  const python = (): Record<string, string> => ({ ...withPython, TRITON_CACHE_DIR: workspace.path('triton-cache') });
  const reproducer = 'kernels/triton-gluon/row_sums';
  const kernloop = (...args: string[]): Promise<Outcome> => workspace.kernloop(args, { env: python() });
  const inPython = (...args: string[]): Promise<Outcome> => {
    const env = { ...workspace.settings().env, ...python(), KERNLOOP_NATIVE_DIR: join(repository, 'native', 'build') };
    return run('python3', ['reproducer.py', ...args], { cwd: workspace.path(reproducer), env });
  };

  beforeAll(() => {
    workspace = Workspace.create(['e2e/fixtures/triton-gluon']);
  });
  afterAll(() => workspace.remove());

  describe.each<[string, string[]]>([
    ['gfx1030', ['--language', 'triton']],
    // Last, because later tests work on it. Its language is detected.
    ['gfx90a', []],
  ])('on %s', (target, language) => {
    const on = ['--softgpu', target];
    const judged = async (): Promise<Outcome> => {
      const compiled = await kernloop('recompile', reproducer);
      expect([compiled.code, compiled.text]).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
      return kernloop('validate', reproducer, ...on);
    };

    it('is extracted, layouts included, and compiles unedited to the captured code', async () => {
      rmSync(workspace.path('kernels'), { recursive: true, force: true });
      const captured = await kernloop('capture', '--app', 'apps/triton-gluon', ...on);
      expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/row_sums .* verified/)]);
      const extracted = await kernloop('extract', 'row_sums', '--app', 'apps/triton-gluon', ...on, ...language);
      expect([extracted.code, extracted.text]).toEqual([
        0,
        expect.stringMatching(/apps\/triton-gluon\/app.py .*byte for byte/),
      ]);
      expect(workspace.json<{ language: string }>(`${reproducer}/kernel.json`).language).toBe('triton');
      const rows = target === 'gfx90a' ? 4 : 2;
      expect(workspace.read(`${reproducer}/reproducer.py`)).toContain(
        `gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[${rows}, 16], warps_per_cta=[2, 1], order=[1, 0])`,
      );
    });

    it('is launched by its own script, on the target of the capture', async () => {
      const outcome = await inPython('--output', 'build/mine.hsaco');
      expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/r1 \(target\): 0 of 256 bytes differ/)]);
      const { code_object: captured } = workspace.json<{ code_object: string }>(`${reproducer}/kernel.json`);
      const mine = workspace.json<{ code_object_sha256: string }>(`${reproducer}/build/mine.json`);
      expect(mine.code_object_sha256).toBe(captured);
      rmSync(workspace.path(reproducer, 'build'), { recursive: true });
    });

    it('is judged with another layout, and fails with a wrong edit of a helper', async () => {
      const [script, helper] = [`${reproducer}/reproducer.py`, `${reproducer}/deps/layouts/parts.py`];
      const untouched = [script, helper].map((path) => workspace.read(path));
      workspace.edit(script, (text) => text.replace('order=[1, 0]', 'order=[0, 1]'));
      const passed = await judged();
      expect([passed.code, passed.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
      workspace.edit(helper, (text) => text.replace('value * GAIN', 'value + GAIN'));
      const failed = await judged();
      expect([failed.code, failed.text]).toEqual([1, expect.stringContaining('Result: FAIL')]);
      [script, helper].forEach((path, index) => workspace.write(path, untouched[index] ?? ''));
    });
  });

  it.each<[string, string, RegExp]>([
    ['a constant cannot be written down', 'added', /SOURCE_TRITON: .* to added .*: SIZES \(a __main__.Sizes\)/],
    ['the file was temporary and is deleted', 'negated', /SOURCE_MOVED: \S*fleeting.py was gone .* compiled negated/],
  ])('stays without source where %s, and says so', async (_case, kernel, why) => {
    const outcome = await kernloop('extract', kernel, '--app', 'apps/triton-gluon');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(why)]);
    const folder = `kernels/triton-gluon/${kernel}`;
    expect(workspace.json<{ language: string }>(`${folder}/kernel.json`).language).toBe('none');
    for (const file of ['kernel_variant.py', 'reproducer.py', 'pristine/kernel_variant.py'])
      expect(existsSync(workspace.path(folder, file))).toBe(false);
    const refused = await kernloop('recompile', folder);
    expect([refused.code, refused.text]).toEqual([2, expect.stringMatching(/SOURCE_|no source/)]);
  });

  it('becomes no project where a view leaves its memory, in the app or in the script', async () => {
    const before = workspace.snapshot('kernels/triton-gluon');
    const outcome = await kernloop('extract', 'doubled', '--app', 'apps/triton-gluon');
    expect([outcome.code, outcome.text]).toEqual([
      2,
      expect.stringMatching(
        /source as a view of shape \[2, 64\] .* byte 0 to 512 of r0, .* 256 bytes \[TENSOR_OUTSIDE\]/,
      ),
    ]);
    workspace.edit(`${reproducer}/reproducer.py`, (text) => text.replace('(64,), (1,)', '(65,), (1,)'));
    const launched = await inPython();
    expect([launched.code, launched.text]).toEqual([1, expect.stringMatching(/TENSOR_OUTSIDE: .* bytes 0 to 260/)]);
    workspace.edit(`${reproducer}/reproducer.py`, (text) => text.replace('(65,), (1,)', '(64,), (1,)'));
    expect([...workspace.snapshot('kernels/triton-gluon').keys()]).toEqual([...before.keys()]);
  });

  it('makes no candidate of another signature, nor of what does not compile', async () => {
    const before = [...workspace.snapshot(reproducer).keys()];
    const variant = workspace.read(`${reproducer}/kernel_variant.py`);
    const refused = async (change: (text: string) => string, args: string[], why: RegExp): Promise<void> => {
      workspace.write(`${reproducer}/kernel_variant.py`, change(variant));
      const outcome = await inPython(...args);
      expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringMatching(why)]);
      expect(outcome.stderr).not.toContain('Traceback');
    };
    const other = (text: string): string => text.replace('source, target,', 'target, source,');
    for (const args of [['--compile-only'], []])
      await refused(
        other,
        args,
        /^SYMBOL_MISSING: row_sums takes target, source, columns, and .* source, target, columns/,
      );
    await refused((text) => text.replace('gl.sum(', 'gl.no_such('), [], /^COMPILE_FAILED: /);
    workspace.write(`${reproducer}/kernel_variant.py`, variant);
    expect([...workspace.snapshot(reproducer).keys()]).toEqual(before);
  });
});
