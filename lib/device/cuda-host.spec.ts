import { symlinkSync } from 'node:fs';
import { TestWorkspace } from '../testing/workspace';
import { cudaHost, type HostFolders } from './cuda-host';

const information = (uuid: string, irq = 7): string =>
  `Model: \t\t NVIDIA H200\nIRQ:   \t\t ${irq}\nGPU UUID: \t ${uuid}\nBus Location: \t 0000:18:00.0\n`;

describe('the identity of the NVIDIA side of a machine', () => {
  let workspace: TestWorkspace;
  let folders: HostFolders;

  beforeEach(() => {
    workspace = new TestWorkspace();
    folders = { proc: workspace.path('proc'), dev: workspace.path('dev'), libraries: [workspace.path('lib')] };
  });
  afterEach(() => workspace.dispose());

  const id = (env = {}): string => cudaHost(env, folders).identity;

  function withDriver(version = '580.65.06', uuid = 'GPU-1', irq = 7): void {
    workspace.write('proc/version', `NVRM version: NVIDIA UNIX ${version}\nGCC version: 12\n`);
    workspace.write('proc/gpus/0000:18:00.0/information', information(uuid, irq));
  }

  it('is "none" without a driver', () => {
    expect(cudaHost({}, folders)).toEqual({ identity: 'none', from: 'none' });
  });

  it('follows the driver and the models, and nothing that differs between equal machines', () => {
    withDriver();
    const before = id();
    expect(cudaHost({}, folders).from).toBe('proc');
    withDriver('580.65.06', 'GPU-1', 99);
    expect(id()).toBe(before);
    withDriver('590.1');
    expect(id()).not.toBe(before);
    withDriver('580.65.06', 'GPU-2');
    expect(id()).toBe(before);
    workspace.write('proc/gpus/0000:18:00.0/information', information('GPU-1').replace('H200', 'L4'));
    expect(id()).not.toBe(before);
    withDriver();
    workspace.write('proc/gpus/0000:2a:00.0/information', information('GPU-2'));
    expect(id()).not.toBe(before);
  });

  it('follows what selects among the GPUs', () => {
    withDriver();
    expect(id({ CUDA_VISIBLE_DEVICES: '1' })).not.toBe(id({ CUDA_VISIBLE_DEVICES: '0' }));
  });

  it('comes from device nodes and the file behind libcuda.so.1 where a container hides the rest', () => {
    workspace.write('dev/nvidia0', '');
    workspace.write('dev/nvidiactl', '');
    workspace.write('lib/libcuda.so.580.65.06', '');
    symlinkSync('libcuda.so.580.65.06', workspace.path('lib', 'libcuda.so.1'));
    const before = id();
    expect(cudaHost({}, folders).from).toBe('device-nodes');
    workspace.write('dev/nvidia1', '');
    expect(id()).not.toBe(before);
  });

  it('is that of a driver that is named', () => {
    const driver = workspace.write('fake/libcuda.so.1', 'one');
    const before = id({ KERNLOOP_CUDA_DRIVER: driver });
    workspace.write('fake/libcuda.so.1', 'two');
    expect(id({ KERNLOOP_CUDA_DRIVER: driver })).not.toBe(before);
  });
});
