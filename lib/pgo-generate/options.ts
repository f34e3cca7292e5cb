import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { replayingOptions } from '../replay/options';

const { capture, device, gpu, softgpu, store, launch, limitSeconds } = replayingOptions;

export const generateFromReproducerSchema = z.object({
  reproducer: z.string().default('.'),
  ...{ capture, device, gpu, softgpu, store, launch, limitSeconds },
  limitFactor: z
    .number()
    .min(1)
    .default(10)
    .describe(
      'On the software GPU, end a replay once it executes this many times the wave-instructions of the captured dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. The limit is ten times that here, because counters cost instructions.',
    ),
});

/** The target that either subject runs on. */
export const softgpuOfEither = z
  .string()
  .min(1)
  .optional()
  .describe(
    'Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. Default: that of the capture; for an app, gfx90a.',
  );

export const timeLimitSeconds = z
  .number()
  .min(0)
  .default(0)
  .describe('End each run of the app after this time. 0: no limit.');

export const generateFromAppSchema = z.object({ app: z.string().default('.'), ...deviceOptions, timeLimitSeconds });

export type GenerateFromReproducerOptions = z.output<typeof generateFromReproducerSchema>;
export type GenerateFromAppOptions = z.output<typeof generateFromAppSchema>;
