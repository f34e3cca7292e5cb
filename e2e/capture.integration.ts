import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, run } from './harness';
import { Workspace } from './in-process';
import { addProbeApp, capturedBytes, replayEvents, type CaptureJson, type SelfcheckJson } from './probe';

describe('capture of an unmodified program', () => {
  let workspace: Workspace;
  beforeAll(() => {
    workspace = Workspace.create([]);
  });
  afterAll(() => workspace.remove());

  const captureOf = async (app: string, kernel: string, mode: string[], match: string, extra: string[] = []) => {
    const folder = await addProbeApp(workspace, app, mode, [{ name: kernel, match }]);
    const outcome = await workspace.kernloop(['capture', '--app', folder, ...extra]);
    const capture = `kernels/${app}/${kernel}/capture`;
    const complete = existsSync(workspace.path(capture, 'capture.json'));
    return {
      outcome,
      capture,
      json: complete ? workspace.json<CaptureJson>(`${capture}/capture.json`) : undefined,
      selfcheck: complete ? workspace.json<SelfcheckJson>(`${capture}/selfcheck.json`) : undefined,
    };
  };

  it('follows a pointer to a packed struct with unaligned and tagged pointers to arrays, and leaves the rest out', async () => {
    const small = await captureOf('linked', 'scale_linked', ['linked', '64'], 'scale_linked');
    expect([small.outcome.code, small.outcome.text]).toEqual([0, expect.any(String)]);
    expect(small.selfcheck?.verdict).toBe('verified');
    expect(small.json?.scope).toMatchObject({ mode: 'reachable', widened: false });
    expect(capturedBytes(small.json!) * 50).toBeLessThan(small.json!.scope.tracked_bytes);
    expect(small.json!.regions.length).toBeGreaterThanOrEqual(19);
    const { code } = await replayEvents(workspace.path(small.capture), ['--compare']);
    expect(code).toBe(0);
  });

  it('takes everything with scope all', async () => {
    const all = await captureOf('linked-all', 'scale_linked', ['linked', '16'], 'scale_linked', ['--scope', 'all']);
    expect(all.outcome.code).toBe(0);
    expect(capturedBytes(all.json!)).toBeGreaterThan(16 * 1024 * 1024);
    expect(all.selfcheck?.verdict).toBe('verified');
  });

  it('holds exactly the memory that the program itself had', async () => {
    const dump = workspace.path('dump');
    workspace.write('dump/.keep', '');
    const { json, capture } = await captureOf('outputs', 'two_outputs', ['outputs', dump], 'two_outputs');
    await replayEvents(workspace.path(capture), ['--dump', workspace.path('replayed')]);
    for (const name of ['first', 'second']) {
      const address = BigInt(readFileSync(join(dump, `${name}.address`), 'utf8'));
      const expected = readFileSync(join(dump, `${name}.bin`));
      const region = json!.regions.find(({ base }) => BigInt(base) === address);
      expect(region).toBeDefined();
      const replayed = readFileSync(workspace.path('replayed', `${region!.id}.bin`));
      expect(replayed.subarray(0, expected.length).equals(expected)).toBe(true);
    }
  });

  it('widens the scope when the kernel reads an allocation that no pointer leads to', async () => {
    const { outcome, json, selfcheck } = await captureOf('neighbour', 'add_neighbour', ['neighbour'], 'add_neighbour');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/scope all/)]);
    expect(json?.scope.mode).toBe('all');
    expect(selfcheck?.verdict).toBe('verified');
  });

  it('captures the next dispatch with a wider scope when the kernel wrote outside it', async () => {
    const { outcome, json, selfcheck } = await captureOf(
      'twice',
      'write_neighbour',
      ['neighbour-twice'],
      'write_neighbour',
    );
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(json?.scope.widened || json?.scope.mode === 'all').toBe(true);
    expect(selfcheck?.verdict).toBe('verified');
  });

  it('runs the app once more with scope all when there was no next dispatch', async () => {
    const { outcome, json, selfcheck } = await captureOf(
      'once',
      'write_neighbour',
      ['neighbour-write'],
      'write_neighbour',
    );
    expect(outcome.code).toBe(0);
    expect(json?.scope.mode).toBe('all');
    expect(selfcheck?.verdict).toBe('verified');
  });

  it('records a float sum as nondeterministic with its spread, passes it, and fails an error of ten spreads', async () => {
    const { outcome, capture, selfcheck } = await captureOf('sum', 'float_sum', ['sum'], 'float_sum');
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(selfcheck?.verdict).toBe('nondeterministic');
    const [range] = selfcheck!.varying;
    expect(range).toMatchObject({ dtype: 'f32', count: 1 });
    const spread = range!.max[0]! - range!.min[0]!;
    expect(spread).toBeGreaterThan(0);
    expect(spread).toBeLessThan(0.01);

    expect((await workspace.kernloop(['extract', '--app', 'apps/sum'])).code).toBe(0);
    const options = ['--reproducer', 'kernels/sum/float_sum'];
    expect((await workspace.kernloop(['validate', ...options])).text).toMatch(/Result: PASS/);
    const file = 'kernels/sum/float_sum/kernel_variant.hip';
    workspace.edit(file, (text) =>
      text.replace(
        'atomicAdd(sum, x[i]);',
        `atomicAdd(sum, x[i] + (i == 0 ? ${(10 * spread).toExponential(6)}f : 0.0f));`,
      ),
    );
    expect((await workspace.kernloop(['recompile', ...options])).code).toBe(0);
    const wrong = await workspace.kernloop(['validate', ...options]);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
    expect(capture).toContain('sum');
  });

  it('reports a kernel that changes no byte as vacuous, with its own exit code and a failed Nx task', async () => {
    const { outcome } = await captureOf('vacuous', 'changes_nothing', ['vacuous'], 'changes_nothing');
    expect(outcome.code).toBe(0);
    expect((await workspace.kernloop(['extract', '--app', 'apps/vacuous'])).code).toBe(0);
    const verdict = await workspace.kernloop(['validate', '--reproducer', 'kernels/vacuous/changes_nothing']);
    expect([verdict.code, verdict.text]).toEqual([3, expect.stringMatching(/Result: VACUOUS/)]);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const task = await workspace.nx(['run', 'vacuous-changes_nothing:validate']);
      expect(task.code).not.toBe(0);
      expect(task.text).not.toMatch(/:validate +\[local cache\]/);
    }
  });

  it('contains every byte that the engine saw the kernel read or write', async () => {
    const { json, capture } = await captureOf('sets', 'scale_linked', ['linked', '1'], 'scale_linked');
    const { code, events } = await replayEvents(workspace.path(capture), ['--compare', '--record-accesses']);
    expect(code).toBe(0);
    const accesses = events.filter(({ event }) => event === 'access') as {
      base: string;
      size: number;
      write: boolean;
    }[];
    expect(accesses.some(({ write }) => write)).toBe(true);
    expect(accesses.some(({ write }) => !write)).toBe(true);
    for (const { base, size } of accesses) {
      const start = BigInt(base);
      // The code object provides its own constants.
      if (
        json!.code_objects.some(({ load_base }) => start >= BigInt(load_base) && start < BigInt(load_base) + 0x100000n)
      )
        continue;
      const inside = json!.regions.some(
        (region) => start >= BigInt(region.base) && start + BigInt(size) <= BigInt(region.base) + BigInt(region.size),
      );
      expect([base, size, inside]).toEqual([base, size, true]);
    }
  });

  it('gives the same capture.json byte for byte when the app runs again', async () => {
    const first = await captureOf('again', 'scale_linked', ['linked', '0'], 'scale_linked');
    const before = workspace.read(`${first.capture}/capture.json`);
    await workspace.kernloop(['capture', '--app', 'apps/again']);
    expect(workspace.read(`${first.capture}/capture.json`)).toBe(before);
    const verified = await run(join(nativeDirectory, 'bin', 'kernloop-archive'), [
      'verify',
      workspace.path(first.capture),
    ]);
    expect(verified.code).toBe(0);
    const code = workspace.path('code-object');
    const wrote = await run(join(nativeDirectory, 'bin', 'kernloop-archive'), [
      ...['code-object', workspace.path(first.capture), '--output', code],
    ]);
    expect(wrote.code).toBe(0);
    const { kernel } = JSON.parse(before) as { kernel: { code_object: string } };
    expect(createHash('sha256').update(readFileSync(code)).digest('hex')).toBe(kernel.code_object);
  });
});
