import { existsSync, readdirSync, rmSync, cpSync } from 'node:fs';
import { Workspace } from './harness';
import { addProbeApp } from './probe';

/** A capture whose chunks are in the store, taken to a workspace that has no store. */
describe('packed captures and the store', () => {
  let workspace: Workspace;
  let elsewhere: Workspace;
  const project = 'kernels/outputs/two_outputs';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    elsewhere = Workspace.create([]);
    const app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const outcome = await workspace.kernloop(['extract', '--app', app], { env: { KERNLOOP_INLINE_LIMIT_BYTES: '1' } });
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(existsSync(workspace.path(project, 'capture/chunks.pack'))).toBe(false);
  });
  afterAll(() => {
    workspace.remove();
    elsewhere.remove();
  });

  it('replays on another machine, without any store', async () => {
    const packed = await workspace.kernloop(['pack', project, '--output', elsewhere.path('a.klcap')]);
    expect([packed.code, packed.text]).toEqual([0, expect.stringContaining('a.klcap')]);
    // The reproducer comes through git, without its capture.
    cpSync(workspace.path('kernels'), elsewhere.path('kernels'), { recursive: true });
    rmSync(elsewhere.path(project, 'capture'), { recursive: true });
    const unpacked = await elsewhere.kernloop(['unpack', 'a.klcap', '--to', project]);
    expect([unpacked.code, unpacked.text]).toEqual([0, expect.stringContaining('verified')]);
    const verdict = await elsewhere.kernloop(['validate', '--reproducer', project, '--variant', 'none']);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(existsSync(elsewhere.path('.kernloop/store'))).toBe(false);
  });

  it('gc keeps what the capture needs, and takes it once the capture is gone', async () => {
    const kept = await workspace.kernloop(['store', 'gc', '--grace-hours', '0', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ result: { captures: 1, chunks_removed: 0 } });
    const verified = await workspace.kernloop(['store', 'verify']);
    expect([verified.code, verified.text]).toEqual([0, expect.stringContaining('0 damaged, 0 missing')]);
    rmSync(workspace.path(project, 'capture'), { recursive: true });
    const recent = await workspace.kernloop(['store', 'gc', '--json']);
    expect(JSON.parse(recent.stdout)).toMatchObject({ result: { chunks_removed: 0 } });
    const collected = await workspace.kernloop(['store', 'gc', '--grace-hours', '0']);
    expect([collected.code, collected.text]).toEqual([0, expect.stringMatching(/removed [1-9]/)]);
    const folders = readdirSync(workspace.path('.kernloop/store')).filter((name) => /^[0-9a-f]{2}$/.test(name));
    expect(folders.flatMap((name) => readdirSync(workspace.path('.kernloop/store', name)))).toEqual([]);
  });
});
