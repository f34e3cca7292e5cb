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
  },
  hsa: { ...hsa, checker: 'leave it out; the software GPU checks HIP kernels with KERNLOOP_SOFTGPU_CHECK=all' },
  cuda: {
    runtime: 'the CUDA driver',
    queues: 'contexts',
    loadHint:
      'check that "command" starts the program that uses the GPU, that it is a 64-bit program, and that nothing in its environment hides the GPU (CUDA_VISIBLE_DEVICES)',
    checker: 'compute-sanitizer is it',
  },
};

export function deviceWords(kind: DeviceKind): DeviceWords {
  return words[kind];
}
