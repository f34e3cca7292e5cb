import type { Deps } from '../deps/deps';
import { openCuda } from './cuda';
import type { Device } from './device';
import { openHsa } from './hsa';
import type { DeviceKind } from './kinds';
import { openSoftgpu } from './softgpu';

export interface DeviceOptions {
  device: DeviceKind;
  /** Target of the software GPU. */
  softgpu: string;
  /** GPU of the cuda device, by number or UUID; the first visible one by default. */
  gpu?: string | undefined;
}

export async function openDevice(options: DeviceOptions, deps: Deps): Promise<Device> {
  switch (options.device) {
    case 'softgpu':
      return openSoftgpu(options.softgpu, deps);
    case 'hsa':
      return openHsa(deps);
    case 'cuda':
      return openCuda(options.gpu, deps);
  }
}
