import { TestWorkspace } from '../testing/workspace';
import { dynamicProgram } from '../toolchain/testing/dynamic-program';
import { bundle, programWith } from '../toolchain/testing/program-with';
import { findDevice, type Machine } from './find-device';

const bare: Machine = { amdTargets: [], hasNvidia: false };
const amd: Machine = { amdTargets: ['gfx1030'], hasNvidia: false };
const nvidia: Machine = { amdTargets: [], hasNvidia: true };

describe('the device of a program', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const found = (content: Buffer | string, machine: Machine): unknown[] => {
    const { device, softgpu } = findDevice(workspace.writeBytes('demo', content), {}, machine);
    return [device, softgpu];
  };
  const hip = (...targets: string[]): Buffer => programWith({ '.hip_fatbin': bundle(targets) });

  it.each<[string, Buffer | string, Machine, string, string]>([
    ['HIP code for one target', hip('gfx1030'), bare, 'softgpu', 'gfx1030'],
    ['HIP code for several, of which HIP 5.2 knows one', hip('gfx1100', 'gfx90a'), bare, 'softgpu', 'gfx90a'],
    ['a feature that the software GPU has off', hip('gfx90a:xnack+', 'gfx1030'), bare, 'softgpu', 'gfx1030'],
    ['a feature that it has as asked', hip('gfx1030', 'gfx90a:sramecc+:xnack-'), bare, 'softgpu', 'gfx90a'],
    ['HIP code for the hardware', hip('gfx1030'), amd, 'hsa', 'gfx90a'],
    ['HIP code for other hardware', hip('gfx90a'), amd, 'softgpu', 'gfx90a'],
    ['HIP code and an NVIDIA GPU', hip('gfx1030'), nvidia, 'softgpu', 'gfx1030'],
    ['compressed HIP code', programWith({ '.hip_fatbin': Buffer.from('CCOB....') }), bare, 'softgpu', 'gfx90a'],
    ['compressed HIP code and an AMD GPU', programWith({ '.hip_fatbin': Buffer.from('CCOB') }), amd, 'hsa', 'gfx90a'],
    ['CUDA code', programWith({ '.nv_fatbin': Buffer.from('code') }), bare, 'cuda', 'gfx90a'],
    ['no device code', programWith({ '.text': Buffer.from('code') }), bare, 'softgpu', 'gfx90a'],
    ['no device code and an NVIDIA GPU', '#!/usr/bin/env python3\n', nvidia, 'cuda', 'gfx90a'],
    ['no device code and an AMD GPU', '#!/usr/bin/env python3\n', amd, 'hsa', 'gfx90a'],
  ])('follows from %s', (_name, content, machine, device, softgpu) => {
    expect(found(content, machine)).toEqual([device, softgpu]);
  });

  it('is a guess for a program that does not exist, and for a folder', () => {
    expect(findDevice(workspace.path('none'), {}, bare).device).toBe('softgpu');
    expect(findDevice(workspace.root, {}, bare).device).toBe('softgpu');
  });

  it('says what the program has code for', () => {
    const program = workspace.writeBytes('demo', hip('gfx1030', 'gfx90a'));
    expect(findDevice(program, {}, bare).because).toBe('demo has code for gfx1030, gfx90a');
  });

  it('follows from a library that the program is linked with', () => {
    const folder = workspace.path('lib');
    workspace.writeBytes('lib/libkernels.so', hip('gfx1030'));
    const program = workspace.writeBytes('demo', dynamicProgram(['libkernels.so'], { runpath: folder }));
    expect(findDevice(program, {}, bare)).toEqual({
      device: 'softgpu',
      softgpu: 'gfx1030',
      because: 'libkernels.so of demo has code for gfx1030',
    });
  });

  it('is found in no program that is cut anywhere, without an error', () => {
    const whole = hip('gfx1030');
    for (let bytes = 0; bytes < whole.length; bytes += 1)
      expect(['gfx1030', 'gfx90a']).toContain(found(whole.subarray(0, bytes), bare)[1]);
  });
});
