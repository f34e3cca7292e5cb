import type { DeviceKind } from './kinds';

/** Names of the parts of a device, as its users know them. */
export interface DeviceWords {
  /** Runtime that the app loads to reach the device. */
  runtime: string;
  /** Objects that the app creates before it can launch anything. */
  queues: string;
  /** Advice if the app never loaded the runtime. */
  loadHint: string;
  /** Checker of memory errors and races, if compute-sanitizer cannot be used. */
  checker: string;
  /** How `validate` finds races on this device. */
  races: string;
}

const hsa = {
  runtime: 'the HSA runtime',
  queues: 'queues',
  loadHint:
    'check that "command" starts the program that uses the GPU, and that the program is linked with or loads the HIP runtime',
};

const words: Readonly<Record<DeviceKind, DeviceWords>> = {
  softgpu: {
    ...hsa,
    checker: 'the software GPU has a checker of its own: KERNLOOP_SOFTGPU_CHECK=all (docs/softgpu.md)',
    races: 'on softgpu every validate looks for races by a replay in an adverse order (--adverse)',
  },
  hsa: {
    ...hsa,
    checker: 'the software GPU checks HIP kernels with KERNLOOP_SOFTGPU_CHECK=all',
    races: 'nothing looks for races on hsa; the software GPU does, also with captures of hsa (--device softgpu)',
  },
  cuda: {
    runtime: 'the CUDA driver',
    queues: 'contexts',
    loadHint:
      'check that "command" starts the program that uses the GPU, that it is a 64-bit program, and that nothing in its environment hides the GPU (CUDA_VISIBLE_DEVICES)',
    checker: 'compute-sanitizer is it',
    races: 'on cuda --delays provokes races, and --racecheck of validate looks for those in shared memory',
  },
};

export function deviceWords(kind: DeviceKind): DeviceWords {
  return words[kind];
}
