import type { DeviceKind } from './kinds';

/** What the things of a device are called where people know it. */
export interface DeviceWords {
  /** What the app loads to reach the device. */
  runtime: string;
  /** What the app makes before it can launch anything. */
  queues: string;
  /** What to check when the app never loaded the runtime. */
  loadHint: string;
  /** What looks for memory errors and races instead of compute-sanitizer, where that does not. */
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
