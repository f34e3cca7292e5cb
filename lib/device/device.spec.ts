import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { failure, thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { openDevice } from './open-device';
import { firstGpu, openHsa, targetName, throughRuntime } from './hsa';
import { softgpuIdentity, softgpuTargetOf } from './softgpu';

describe('devices', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const softgpu = (target = 'gfx90a', env = {}) =>
    openDevice({ device: 'softgpu', softgpu: target }, fakeDeps({}, workspace.native, { env }));

  it('puts the software GPU in front of what the user has on the library path', async () => {
    expect((await softgpu('gfx90a', { LD_LIBRARY_PATH: '/mine' })).env).toEqual({
      LD_LIBRARY_PATH: `${workspace.native.softgpuDir}:/mine`,
      KERNLOOP_SOFTGPU: 'gfx90a',
    });
  });

  it('puts what tells an app of faults in front of HIP, behind what the user preloads', async () => {
    const device = await softgpu('gfx90a', { LD_LIBRARY_PATH: '/shell' });
    const { softgpuDir } = workspace.native;
    const hip = 'libkernloop-hip.so';
    expect(device.appLibraries({})).toEqual({ LD_LIBRARY_PATH: softgpuDir, LD_PRELOAD: hip });
    expect(device.appLibraries({ LD_LIBRARY_PATH: '/app', LD_PRELOAD: '/a.so libb.so' })).toEqual({
      LD_LIBRARY_PATH: `${softgpuDir}:/app`,
      LD_PRELOAD: `/a.so:libb.so:${hip}`,
    });
    expect(device.appLibraries({ LD_PRELOAD: `${hip}:/a.so` })['LD_PRELOAD']).toBe(`/a.so:${hip}`);
    expect(device.env).not.toHaveProperty('LD_PRELOAD');
  });

  it('is another device for another target, and for another build of the interpreter', async () => {
    const before = (await softgpu()).description.identity;
    expect(softgpuIdentity('gfx1030', workspace.native.softgpu)).not.toBe(before);
    expect((await softgpu()).description.identity).toBe(before);
    writeFileSync(workspace.native.softgpu, 'rebuilt');
    expect((await softgpu()).description.identity).not.toBe(before);
  });

  it('is the one device whose runtime is ours, and has no tools of CUDA', async () => {
    const { runtime, hasNvrtc, hasSanitizer } = await softgpu();
    expect([runtime, hasNvrtc, hasSanitizer]).toEqual([workspace.native.softgpu, false, false]);
  });

  it('refuses a target that it does not know instead of guessing', async () => {
    expect(await failure(softgpu('gfx1101'))).toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it.each([
    ['amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-', 'gfx942'],
    ['amdgcn-amd-amdhsa--gfx942', 'gfx942'],
    ['amdgcn-amd-amdhsa--gfx1030', 'gfx1030'],
    ['amdgcn-amd-amdhsa--gfx1100', 'gfx1100'],
  ])('presents what was captured for %s as %s', (isa, target) => {
    expect(softgpuTargetOf(isa)).toBe(target);
  });

  it.each([
    [
      'amdgcn-amd-amdhsa--gfx1101',
      'of gfx1101, which the software GPU does not present (it has gfx90a, gfx1030, gfx942, gfx1100)',
    ],
    [
      'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+',
      'of gfx90a with xnack+, and the software GPU is gfx90a:sramecc+:xnack-',
    ],
    ['amdgcn-amd-amdhsa--gfx942:sramecc-:xnack+', 'of gfx942 with sramecc- and xnack+'],
  ])('refuses by name what was captured for %s', (isa, what) => {
    expect(thrown(() => softgpuTargetOf(isa))).toMatchObject({
      code: 'DEVICE_MISMATCH',
      what: expect.stringContaining(what) as string,
    });
  });

  it('names the cuda agent only where the cuda device is asked for and the build lacks it', async () => {
    rmSync(workspace.native.agentCuda);
    await expect(softgpu()).resolves.toBeDefined();
    const error = await failure(openDevice({ device: 'cuda', softgpu: '' }, fakeDeps({}, workspace.native)));
    expect(error).toMatchObject({ code: 'ENVIRONMENT_NATIVE_MISSING', exitCode: 5 });
    expect(error.what).toContain('libkernloop-capture-cuda.so');
  });

  it.each([
    [90010n, 'gfx90a'],
    [90402n, 'gfx942'],
    [100300n, 'gfx1030'],
    [110000n, 'gfx1100'],
    [90006n, 'gfx906'],
  ])('reads the version %s of the driver as %s', (version, name) => {
    expect(targetName(version)).toBe(name);
  });

  it('is other hardware with another runtime, which has to be there', () => {
    workspace.write('nodes/1/properties', 'gfx_target_version 90010\nwave_front_size 64\nunique_id 255\n');
    const hsa = (runtime?: string) =>
      openHsa(fakeDeps({}, workspace.native, { env: { KERNLOOP_HSA_RUNTIME: runtime } }), workspace.path('nodes'));
    const runtime = workspace.write('rocm/libhsa-runtime64.so.1', 'ROCr');
    expect(hsa().description.identity).toBe('hsa-gfx90a-ff');
    expect(hsa(runtime).description.identity).toMatch(/^hsa-gfx90a-ff-[0-9a-f]{12}$/);
    expect(thrown(() => hsa('/nowhere/libhsa-runtime64.so.1'))).toMatchObject({ code: 'RUNTIME_NOT_FOUND' });
    expect(throughRuntime(hsa(), runtime).replayArguments).toEqual(['--hsa-runtime', runtime]);
  });

  it('says which of several GPUs it takes, and which ones it does not', () => {
    const nodes = (...ids: number[]): string => {
      for (const id of ids)
        workspace.write(`many/${id}/properties`, `gfx_target_version 90402\nwave_front_size 64\nunique_id ${id}\n`);
      return workspace.path('many');
    };
    const warnings = (folder: string): string[] => {
      const deps = fakeDeps({}, workspace.native);
      openHsa(deps, folder);
      return deps.said.warn;
    };
    expect(warnings(nodes(16)).join()).not.toContain('is the first of');
    expect(warnings(nodes(17, 18)).join()).toMatch(
      /hsa-gfx942-10 is the first of 3 GPUs.*hsa-gfx942-11, hsa-gfx942-12/,
    );
  });

  it('takes the first node with compute units from the topology of the driver', () => {
    const node = (index: number, text: string): void => {
      mkdirSync(workspace.path('nodes', String(index)), { recursive: true });
      writeFileSync(workspace.path('nodes', String(index), 'properties'), text);
    };
    node(0, 'cpu_cores_count 64\ngfx_target_version 0\n');
    node(1, 'gfx_target_version 90010\nwave_front_size 64\nunique_id 255\n');
    expect(firstGpu(workspace.path('nodes'))).toMatchObject({ identity: 'hsa-gfx90a-ff', wavefront_size: 64 });
    expect(thrown(() => firstGpu(workspace.path('none')))).toMatchObject({ code: 'DEVICE_UNAVAILABLE' });
  });
});
