import { Workspace } from './harness';

/** The software GPU's other target: the same programs, compiled for RDNA2 (wave32). */
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
    const replayed = await kernloop('replay', '--reproducer', project, ...onGfx1030);
    expect([replayed.code, replayed.text]).toEqual([0, expect.stringMatching(/Result: RAN/)]);
    const verdict = await kernloop('validate', '--reproducer', project, ...onGfx1030);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('refuses to replay the capture on the other target', async () => {
    const outcome = await kernloop('replay', '--reproducer', project);
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
