import { z } from 'zod';
import { deviceKinds } from './kinds';

/** Options that choose a device. */
export const deviceOptions = {
  device: z.enum(deviceKinds).default('softgpu').describe('Where the kernels run.'),
  softgpu: z
    .string()
    .default('gfx90a')
    .describe(
      'Which GPU the software GPU is: gfx90a (wave64), gfx1030 (wave32), gfx942 (wave64) or gfx1100 (wave32), of which HIP 5.2 knows the first two.',
    ),
  gpu: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Which NVIDIA GPU to use, by number or UUID. Programs then see only that one. Default: the first visible one.',
    ),
};
