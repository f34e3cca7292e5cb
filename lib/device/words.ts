import type { DeviceKind } from '../app/kernloop-json';
import type { WorkUnit } from './device';

/** What the things of a device are called where people know it. */
export interface DeviceWords {
  /** What the app loads to reach the device. */
  runtime: string;
  /** What the app makes before it can launch anything. */
  queues: string;
  /** What to check when the app never loaded the runtime. */
  loadHint: string;
}

const hsa: DeviceWords = {
  runtime: 'the HSA runtime',
  queues: 'queues',
  loadHint:
    'check that "command" starts the program that uses the GPU, and that the program is linked with or loads the HIP runtime',
};

const words: Readonly<Record<DeviceKind, DeviceWords>> = {
  softgpu: hsa,
  hsa,
  cuda: {
    runtime: 'the CUDA driver',
    queues: 'contexts',
    loadHint:
      'check that "command" starts the program that uses the GPU, that it is a 64-bit program, and that nothing in its environment hides the GPU (CUDA_VISIBLE_DEVICES)',
  },
};

export function deviceWords(kind: DeviceKind): DeviceWords {
  return words[kind];
}

/** Shares and statistics of a profile are of this. */
export const workNames: Readonly<Record<WorkUnit, string>> = {
  wave_instructions: 'wave-instructions',
  duration_ns: 'GPU time',
};

/** A duration in the unit that people read it in. */
export function formatDuration(ns: number): string {
  if (ns < 1_000_000) return `${(ns / 1000).toFixed(ns < 100_000 ? 2 : 1)} µs`;
  if (ns < 1_000_000_000) return `${(ns / 1_000_000).toFixed(2)} ms`;
  return `${(ns / 1_000_000_000).toFixed(2)} s`;
}
