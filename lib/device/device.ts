import type { DeviceKind } from '../app/kernloop-json';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { openHsa } from './hsa';
import { openSoftgpu } from './softgpu';

/** How capture.json describes the device. */
export interface DeviceDescription {
  kind: DeviceKind;
  identity: string;
  isa: string;
  name: string;
  wavefront_size: number;
}

/** What counts work on this device: a duration means something only on hardware. */
export type WorkUnit = 'wave_instructions' | 'duration_ns';

export interface Device {
  readonly description: DeviceDescription;
  readonly work: WorkUnit;
  /** Variables that make a program (the app, or kernloop-replay) use this device. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hardware is used by one stage at a time; this file is its lock. The software GPU needs none. */
  readonly lock: string | null;
  /** Arguments that make kernloop-replay use this device. */
  readonly replayArguments: readonly string[];
}

export interface DeviceOptions {
  device: DeviceKind;
  /** Target of the software GPU. */
  softgpu: string;
}

export function openDevice(options: DeviceOptions, deps: Deps): Device {
  switch (options.device) {
    case 'softgpu':
      return openSoftgpu(options.softgpu, deps);
    case 'hsa':
      return openHsa(deps);
    case 'cuda':
      throw new KernloopError(
        'DEVICE_UNAVAILABLE',
        'the device "cuda" is not in this build of Kernloop',
        'use "softgpu" (built in) or "hsa" (AMD hardware)',
      );
  }
}
