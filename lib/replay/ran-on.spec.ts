import { openHsa } from '../device/hsa';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag, passed } from '../testing/fake-programs';
import { captureJson, TestWorkspace } from '../testing/workspace';
import { replayOnce } from './program';

describe('a replay on the hsa device', () => {
  let workspace: TestWorkspace;
  let rocr: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write('topology/1/properties', 'gfx_target_version 90010\nwave_front_size 64\nunique_id 255\n');
    workspace.write('capture/capture.json', captureJson());
    rocr = workspace.write('rocm/libhsa-runtime64.so.1', 'ROCr');
  });
  afterEach(() => workspace.dispose());

  const ranOn = (kind: string, runtime: string): object => ({
    event: 'device',
    kind,
    runtime,
    agent: 'AMD Instinct MI210',
    isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-',
  });

  const replayed = (events: object[], env: NodeJS.ProcessEnv = {}) => {
    const seen: string[] = [];
    const deps = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) => {
          seen.push(flag(args, '--hsa-runtime') ?? 'none');
          return [...events, passed];
        }),
      },
      workspace.native,
      { env },
    );
    const device = openHsa(deps, workspace.path('topology'));
    const outcome = replayOnce({ capture: workspace.path('capture'), stores: [] }, device, deps);
    return { seen, outcome };
  };

  it('asks for the runtime that the loader finds, and takes the result of hardware', async () => {
    const { seen, outcome } = replayed([ranOn('hsa', rocr)]);
    expect((await outcome).result.verdict).toBe('pass');
    expect(seen).toEqual(['libhsa-runtime64.so.1']);
  });

  it('takes no verdict of the software GPU for one of hardware', async () => {
    const error = await failure(replayed([ranOn('softgpu', '/softgpu/libhsa-runtime64.so.1')]).outcome);
    expect(error).toMatchObject({ code: 'DEVICE_MISMATCH', exitCode: 5 });
    expect(error.what).toContain('ran on the software GPU (/softgpu/libhsa-runtime64.so.1), not on AMD hardware');
  });

  it('takes no verdict of a program that does not say where it ran', async () => {
    expect(await failure(replayed([]).outcome)).toMatchObject({ code: 'NATIVE_FAILED' });
  });

  it('refuses another runtime than the one that the app had on this machine, until one is named', async () => {
    const ofApp = workspace.write('venv/libhsa-runtime64.so', 'the runtime of a wheel');
    workspace.write('capture/observed.json', { schema: 'kernloop.observed/1', process: { pid: 1, runtime: ofApp } });
    const error = await failure(replayed([ranOn('hsa', rocr)]).outcome);
    expect(error).toMatchObject({ code: 'RUNTIME_OTHER' });
    expect(error.hint).toContain(`set KERNLOOP_HSA_RUNTIME=${ofApp}`);

    const named = replayed([ranOn('hsa', rocr)], { KERNLOOP_HSA_RUNTIME: rocr });
    expect((await named.outcome).result.verdict).toBe('pass');
    expect(named.seen).toEqual([rocr]);
  });

  it('does not look for the runtime of an app that ran elsewhere', async () => {
    workspace.write('capture/observed.json', { process: { runtime: '/opt/elsewhere/libhsa-runtime64.so.1' } });
    expect((await replayed([ranOn('hsa', rocr)]).outcome).ranOn?.agent).toBe('AMD Instinct MI210');
  });
});
