import { z } from 'zod';
import { deviceKinds } from './kinds';

/** Options that choose a device. */
export const deviceOptions = {
  device: z.enum(deviceKinds).default('softgpu').describe('Where the kernels run.'),
  softgpu: z
    .string()
    .default('gfx90a')
    .describe('Target that the software GPU presents: gfx90a (wave64) or gfx1030 (wave32).'),
  gpu: z
    .string()
    .min(1)
    .optional()
    .describe(
      'GPU of the cuda device: its number among the visible ones or its UUID, and then the only one that programs see; the first visible one if left out.',
    ),
};
