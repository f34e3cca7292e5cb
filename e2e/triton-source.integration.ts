import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, type Outcome } from './harness';
import { Workspace } from './in-process';

/** Packages that tools/python.mjs installs: Triton and NumPy in pinned versions. */
const virtual = join(repository, 'python', '.venv');
const python = {
  PATH: `${join(virtual, 'bin')}:${process.env['PATH'] ?? ''}`,
  PYTHONDONTWRITEBYTECODE: '1',
  TRITON_CACHE_DIR: '',
};

/** From a running Triton program to edited and judged scripts: a package with relative imports, an autotuner, views. */
describe('the source of Triton kernels', () => {
  let workspace: Workspace;
  const scaled = 'kernels/triton-rows/scaled';
  const kernloop = (args: string[], env: Record<string, string> = {}) =>
    workspace.kernloop(args, { env: { ...python, ...env } });
  const judged = async (reproducer: string): Promise<Outcome> => {
    const compiled = await kernloop(['recompile', reproducer]);
    expect([compiled.code, compiled.text]).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
    return kernloop(['validate', reproducer]);
  };

  beforeAll(() => {
    workspace = Workspace.create(['e2e/fixtures/triton-rows', 'e2e/fixtures/triton-traced']);
    // Code compiled in another workspace would name the files there.
    python.TRITON_CACHE_DIR = workspace.path('triton-cache');
  });
  afterAll(() => workspace.remove());

  it('is extracted under Nx, and compiles unedited to the captured code', async () => {
    const outcome = await workspace.nx(['run', 'triton-rows:extract-kernel'], { env: python });
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(/scaled: apps\/triton-rows\/rows\/sums.py .*byte for byte/),
    ]);
    for (const kernel of ['softmax', 'scaled']) {
      const { language, args } = workspace.json<{ language: string; args: { name: string; type: string }[] }>(
        `kernels/triton-rows/${kernel}/kernel.json`,
      );
      expect([language, args[0]?.type.startsWith('*')]).toEqual(['triton', true]);
    }
    // The script has the autotuner's choice, the app's own formula, and a view into a larger array.
    const script = workspace.read(`${scaled}/reproducer.py`);
    expect(script).toContain('# What the autotuner of the app chose.');
    expect(script).toContain("return (triton.cdiv(n, meta['BLOCK']),)");
    const { tunings } = workspace.json<{ tunings: { unit: string; trials: { median: number; chosen: boolean }[] }[] }>(
      `${scaled}/capture/triton.json`,
    );
    expect(tunings.map(({ unit }) => unit)).toEqual(['wave_instructions']);
    const trials = tunings[0]?.trials ?? [];
    expect(trials.filter(({ chosen }) => chosen).map(({ median }) => median)).toEqual([
      Math.min(...trials.map(({ median }) => median)),
    ]);
    expect(workspace.read('kernels/triton-rows/softmax/reproducer.py')).toContain(
      '"source": captured.tensor("float32", (32, 181), (200, 1), region="r0", offset=3232)',
    );
    const { code_object: captured } = workspace.json<{ code_object: string }>(`${scaled}/kernel.json`);
    const recompiled = await kernloop(['recompile', scaled]);
    expect([recompiled.code, recompiled.text]).toEqual([
      0,
      expect.stringContaining('it is the captured code, byte for byte'),
    ]);
    expect(workspace.json<{ code_object_sha256: string }>(`${scaled}/build/variant.json`).code_object_sha256).toBe(
      captured,
    );
  });

  it('is launched by itself on the captured memory, with neither Node nor the app', async () => {
    const env = { ...workspace.settings().env, ...python, KERNLOOP_NATIVE_DIR: join(repository, 'native', 'build') };
    const cwd = workspace.path('kernels/triton-rows/softmax');
    const outcome = await run('python3', ['reproducer.py', '--output', 'build/mine.hsaco'], { cwd, env });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/r1 \(target\): 0 of 23168 bytes differ/)]);
    const { code_object: captured } = workspace.json<{ code_object: string }>(
      'kernels/triton-rows/softmax/kernel.json',
    );
    expect(
      workspace.json<{ code_object_sha256: string }>('kernels/triton-rows/softmax/build/mine.json').code_object_sha256,
    ).toBe(captured);
  });

  it('is traced from inside on the captured memory, where the app recorded nothing, and judged with tracing on and off', async () => {
    const extracted = await kernloop(['extract', '--app', 'apps/triton-traced']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringContaining('byte for byte')]);
    const traced = 'kernels/triton-traced/all_squares';
    const env = { ...workspace.settings().env, ...python, KERNLOOP_NATIVE_DIR: join(repository, 'native', 'build') };
    const cwd = workspace.path(traced);
    const outcome = await run('python3', ['reproducer.py', '--events', 'trace.json', '--output', 'build/mine.hsaco'], {
      cwd,
      env,
    });
    // Both launches, with the heap of the other rank, into which the kernel writes.
    const same = outcome.text.match(/: 0 of \d+ bytes differ/g);
    expect([outcome.code, same?.length, outcome.text]).toEqual([0, 6, expect.stringContaining('12 events of rank 0')]);
    type Columns = Record<'event_id' | 'pid' | 'target_rank' | 'payload_size' | 'start' | 'end', number[]>;
    const [rank] = workspace.json<{ ranks: { clock: { is_time: boolean }; columns: Columns }[] }>(
      `${traced}/trace.json`,
    ).ranks;
    if (!rank) throw new Error('no rank');
    const { columns } = rank;
    const events = columns.pid.map((pid, index) => [
      pid,
      columns.event_id[index],
      columns.target_rank[index],
      columns.payload_size[index],
    ]);
    const ofProgram = (pid: number): unknown => {
      const bytes = 4 * (pid === 3 ? 1000 - 3 * 256 : 256);
      return [
        [pid, 2050, 0, bytes],
        [pid, 3, 0, bytes],
        [pid, 3, 1, bytes],
      ];
    };
    // Events are in the order of their starts; those of each program are in the order of its code.
    for (const pid of [0, 1, 2, 3]) expect(events.filter(([each]) => each === pid)).toEqual(ofProgram(pid));
    expect(columns.end.every((end, index) => end >= (columns.start[index] ?? NaN))).toBe(true);
    const timeline = await kernloop(['trace', 'export', `${traced}/trace.json`, '--output', traced]);
    expect([timeline.code, timeline.text]).toEqual([0, expect.stringContaining('4 arrows between ranks')]);
    const off = await judged(traced);
    expect([off.code, off.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    workspace.edit(`${traced}/reproducer.py`, (text) => text.replace('"TRACING": False', '"TRACING": True'));
    const on = await judged(traced);
    expect([on.code, on.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    expect(on.text).not.toContain('it is the captured code');
  });

  it('is judged in another configuration by what the app computed', async () => {
    workspace.edit(`${scaled}/reproducer.py`, (text) =>
      text.replace(/"BLOCK": \d+/, '"BLOCK": 64').replace(/"num_warps": \d+/, '"num_warps": 1'),
    );
    const passed = await judged(scaled);
    expect([passed.code, passed.text]).toEqual([
      0,
      expect.stringMatching(/launched as its source says: 47×1×1 blocks of 64×1×1 threads[^]*Result: PASS/),
    ]);
    // Compares both in the same memory, each with its own launch.
    const compared = await kernloop(['replay', scaled, '--compare']);
    expect([compared.code, compared.text]).toEqual([
      0,
      expect.stringMatching(/launched as its source says: grid[^]*result in memory: both as the app computed it/),
    ]);
    // A grid for another block size leaves elements unwritten.
    workspace.edit(`${scaled}/reproducer.py`, (text) => text.replace("triton.cdiv(n, meta['BLOCK'])", '46'));
    const failed = await judged(scaled);
    expect([failed.code, failed.text]).toEqual([1, expect.stringContaining('Result: FAIL')]);
    await kernloop(['extract', 'scaled', '--app', 'apps/triton-rows', '--reset']);
  });

  it('is tuned over its configurations, and the winner passes where it was written down', async () => {
    workspace.edit(`${scaled}/reproducer.py`, (text) =>
      text.replace(/"BLOCK": \d+/, '"BLOCK": 64').replace(/"num_warps": \d+/, '"num_warps": 1'),
    );
    const words = ['tune', scaled, '--set', 'BLOCK=64,512', '--set', 'num_warps=1,2', '--constraint', 'BLOCK <= n'];
    const first = await kernloop(words);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^best +512 +2 +924 +0\.678× +pass$/m)]);
    expect(first.stdout).toMatch(/^base +64 +1 +1,363 +1\.000× +pass$/m);
    const again = await kernloop([...words, '--apply']);
    expect([again.code, again.text]).toEqual([
      0,
      expect.stringMatching(/(\d+) candidates, \1 of them from earlier runs/),
    ]);
    expect(workspace.read(`${scaled}/reproducer.py`)).toMatch(/"BLOCK": 512,[^]*"num_warps": 2,/);
    const judged = await kernloop(['validate', scaled]);
    expect([judged.code, judged.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    // The counts are those of the reproducer's current code.
    const replayed = await kernloop(['replay', scaled]);
    expect(replayed.stdout).toMatch(/^wave_instructions +924$/m);
    // The page has the same: parameters, counts and ratios of real runs.
    expect(await kernloop(['report', scaled, '--output', 'tuned.html'])).toMatchObject({ code: 0 });
    const table = /Candidates, the best first[^]*?<\/table>/.exec(workspace.read('tuned.html'))?.[0] ?? '';
    const rows = [...table.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '').trim()),
    );
    const shown = rows.map((cells) => cells.join(' | '));
    expect(shown).toContainEqual(expect.stringMatching(/512 \| 2 \| .*924/));
    expect(shown).toContainEqual(expect.stringMatching(/64 \| 1 \| .*1,363/));
    await kernloop(['extract', 'scaled', '--app', 'apps/triton-rows', '--reset']);
  });

  it('is tuned over the configurations of its own autotuner, where nothing else is named', async () => {
    const tuned = await kernloop(['tune', scaled, '--json']);
    expect([tuned.code, tuned.text]).toEqual([0, expect.stringContaining('3 configurations of the kernel')]);
    const { result } = JSON.parse(tuned.stdout) as {
      result: {
        candidates: { parameters: Record<string, unknown>; status: string }[];
        space: { configurations: number };
      };
    };
    const tried = result.candidates.map(({ parameters: { BLOCK, num_warps: warps }, status }) => [
      BLOCK,
      warps,
      status,
    ]);
    // Configurations of rows/sums.py, without 128 × 4 and 1024 × 2, which a grid would add.
    expect(tried.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      [128, 2, 'pass'],
      [256, 4, 'pass'],
      [1024, 4, 'pass'],
    ]);
    expect(result.space.configurations).toBe(3);
  });

  it('fails with a wrong edit, passes with a right one, and counts a helper module', async () => {
    const helper = `${scaled}/deps/rows/math.py`;
    workspace.edit(helper, (text) => text.replace('value * GAIN', 'GAIN * value'));
    const stale = await kernloop(['validate', scaled, '--no-recompile']);
    expect([stale.code, stale.text]).toEqual([2, expect.stringMatching(/deps\/rows\/math.py was (edited|changed)/)]);
    const right = await judged(scaled);
    expect([right.code, right.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    workspace.edit(helper, (text) => text.replace('GAIN * value', 'GAIN + value'));
    const wrong = await judged(scaled);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/^c +f32 +3,000/m)]);
    expect(wrong.text).not.toContain('accepts it');
    workspace.edit(helper, (text) => text.replace('GAIN + value', 'GAIN * value'));
  });

  it('offers a tolerance for differences of rounding, which pass only with it', async () => {
    workspace.edit(`${scaled}/kernel_variant.py`, (text) =>
      text.replace('total * factor', 'total * 0.1 * (10.0 * factor)'),
    );
    const close = await judged(scaled);
    expect([close.code, close.stdout]).toEqual([
      1,
      expect.stringMatching(/as close as rounding of f32 is \(at most 1 ULP off\): `--ulp 1` accepts it/),
    ]);
    const accepted = await kernloop(['validate', scaled, '--ulp', '1']);
    expect([accepted.code, accepted.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
  });

  it('offers none for a wrong factor, however small the values are', async () => {
    const softmax = 'kernels/triton-rows/softmax';
    const source = `${softmax}/kernel_variant.py`;
    const before = workspace.read(source);
    workspace.edit(source, (text) => text.replace('values / tl.sum', '1.0002 * values / tl.sum'));
    const wrong = await judged(softmax);
    // All elements of 32 rows differ: outside of the tolerance, by thousands of ULP.
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/ 0 +0 +5,792 .* [1-3],\d{3} +\d/)]);
    expect(wrong.text).not.toContain('accepts it');
    workspace.write(source, before);
  });

  it('refuses another signature and code that Triton does not compile, and leaves nothing to judge', async () => {
    const refuse = async (change: (text: string) => string, why: RegExp): Promise<void> => {
      await kernloop(['extract', 'scaled', '--app', 'apps/triton-rows', '--reset']);
      workspace.edit(`${scaled}/kernel_variant.py`, change);
      const outcome = await kernloop(['recompile', scaled]);
      expect([outcome.code, outcome.text]).not.toEqual([0, expect.anything()]);
      expect(outcome.text).toMatch(why);
      expect((await kernloop(['validate', scaled, '--no-recompile'])).code).toBe(2);
      expect(existsSync(workspace.path(scaled, 'build', 'variant.hsaco'))).toBe(false);
    };
    await refuse(
      (text) => text.replace('b, c, n', 'c, b, n'),
      /takes a, c, b, n, factor, and the captured launch passed a, b, c, n, factor/,
    );
    const line = workspace.read(`${scaled}/pristine/kernel_variant.py`).split('tl.arange')[0]?.split('\n').length;
    await refuse(
      (text) => text.replace('tl.arange', 'tl.no_such'),
      new RegExp(`kernel_variant\\.py:${line}:\\d+: error: [^]*no_such[^]*COMPILE_FAILED`),
    );
    // The cause in a callee comes first, and then the call.
    await refuse(
      (text) =>
        text
          .replace('@triton.jit', '@triton.jit\ndef wrong(x, y):\n    return tl.no_such(x, y)\n\n\n@triton.jit')
          .replace('tl.arange(', 'wrong('),
      /kernel_variant\.py:\d+:\d+: error: .*no_such[^]*kernel_variant\.py:\d+:\d+: error: [^]*COMPILE_FAILED/,
    );
  });

  it('stays without source where a version of Triton is not known, and says which are', async () => {
    const older = workspace.path('older');
    workspace.write('older/sitecustomize.py', '');
    workspace.write('older/triton_version.pth', '');
    // A package that precedes the real one and claims another version.
    workspace.write(
      'older/triton/__init__.py',
      [
        'import importlib.util, os, sys',
        `real = ${JSON.stringify(virtual)}`,
        "folder = next(os.path.join(top, 'triton') for top, names, _ in os.walk(real) if 'triton' in names and top.endswith('site-packages'))",
        '__path__ = [folder]',
        "text = open(os.path.join(folder, '__init__.py')).read().replace(\"__version__ = '3.6.0'\", \"__version__ = '9.9.0'\")",
        "exec(compile(text, os.path.join(folder, '__init__.py'), 'exec'))",
        '',
      ].join('\n'),
    );
    writeFileSync(
      workspace.path('apps/triton-rows/unknown.py'),
      'import sys, triton\nassert triton.__version__ == "9.9.0"\ntriton.__version__ = "3.6.0"\nimport runpy\nsys.argv = ["app.py"]\nimport kernloop.triton\nkernloop.triton.activate()\nrunpy.run_path("app.py", run_name="__main__")\n',
    );
    const config = workspace.json<object>('apps/triton-rows/kernloop.json');
    workspace.write('apps/triton-rows/kernloop.json', {
      ...config,
      name: 'triton-unknown',
      command: ['python3', 'unknown.py'],
    });
    const outcome = await kernloop(['extract', 'softmax', '--app', 'apps/triton-rows'], { PYTHONPATH: older });
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(
        /SOURCE_TRITON: softmax_rows is a Triton kernel; the app uses Triton 9.9.0, which .* 3.5, 3.6, 3.7, 3.8/,
      ),
    ]);
    expect(workspace.json<{ language: string }>('kernels/triton-unknown/softmax/kernel.json').language).toBe('none');
    expect(existsSync(workspace.path('kernels/triton-unknown/softmax/kernel_variant.py'))).toBe(false);
  });
});
