import { probed } from './probed';
import { Workspace } from './in-process';

/** Another target of the software GPU: the same programs, compiled for RDNA2 (wave32). */
describe('the loop on gfx1030', () => {
  let workspace: Workspace;
  const project = 'kernels/batched-scale/scale_batch';
  const app = 'apps/batched-scale';
  const onGfx1030 = ['--softgpu', 'gfx1030'];
  const kernloop = (...args: string[]) => workspace.kernloop(args);

  beforeAll(() => {
    workspace = Workspace.create(['examples/batched-scale', 'examples/rocrand-pi']);
    for (const name of ['batched-scale', 'rocrand-pi']) {
      workspace.edit(`apps/${name}/CMakeLists.txt`, (text) => text.replaceAll('gfx90a', 'gfx1030'));
    }
  });
  afterAll(() => workspace.remove());

  it('captures, rebuilds, replays and validates a kernel of waves of 32 lanes', async () => {
    const extracted = await kernloop('extract', '--app', app, ...onGfx1030);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    expect(workspace.json<{ device: object }>(`${project}/capture/capture.json`).device).toMatchObject({
      isa: 'amdgcn-amd-amdhsa--gfx1030',
      wavefront_size: 32,
    });
    expect(workspace.json<{ verdict: string }>(`${project}/capture/selfcheck.json`).verdict).toBe('verified');
    const rebuilt = await kernloop('recompile', '--reproducer', project);
    expect([rebuilt.code, rebuilt.text]).toEqual([0, expect.any(String)]);
    // The capture names its target.
    const replayed = await kernloop('replay', '--reproducer', project);
    expect([replayed.code, replayed.text]).toEqual([0, expect.stringMatching(/Result: RAN/)]);
    const verdict = await kernloop('validate', '--reproducer', project);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('is probed, in waves of 32: each element is loaded and stored once, and scaled once', async () => {
    const { result, counts, words } = await probed(workspace, project, '--probe', 'dmat', ...onGfx1030);
    const elements = Array.from({ length: 16 }, (_, batch) => 500 + 377 * batch).reduce((a, b) => a + b);
    expect(result.launches[0]).toMatchObject({ counted: true, warp_size: 32, maps: [{ kept: 2 * elements }] });
    const times = new Map<bigint, number>();
    counts.forEach((count, thread) => {
      const seen = words(thread).filter((_, word) => word % 2 === 1 && word < 2 * count);
      for (const address of seen) times.set(address, (times.get(address) ?? 0) + 1);
    });
    expect([times.size, new Set(times.values())]).toEqual([elements, new Set([2])]);
    const sched = await probed(workspace, project, ...onGfx1030);
    expect(sched.counts).toEqual(new Uint32Array((4 * 16 * 256) / 32).fill(1));
  });

  it('refuses to replay the capture on the other target', async () => {
    const outcome = await kernloop('replay', '--reproducer', project, '--softgpu', 'gfx90a');
    expect([outcome.code, outcome.text]).toEqual([expect.any(Number), expect.stringMatching(/gfx1030/)]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.text).toMatch(/gfx90a/);
  });

  it('leaves code for another target to HIP, whose error the program reports', async () => {
    const outcome = await kernloop('capture', '--app', app, '--kernel', 'scale_batch');
    expect(outcome.code).not.toBe(0);
    expect(outcome.text).toMatch(/no kernel image|NoBinary|invalid device function|hipError/i);
  });

  it('runs rocRAND as Debian ships it for this target', async () => {
    const outcome = await kernloop('profile', '--app', 'apps/rocrand-pi', ...onGfx1030);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/count_inside/)]);
  });
});
