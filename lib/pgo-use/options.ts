import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { timeLimitSeconds } from '../pgo-generate/options';
import { replayingOptions } from '../replay/options';

const { capture, device, gpu, softgpu, store, launch, limitFactor, limitSeconds } = replayingOptions;

export const useInReproducerSchema = z.object({
  reproducer: z.string().default('.'),
  ...{ capture, device, gpu, softgpu, store, launch, limitFactor, limitSeconds },
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('On hardware, how many times to replay each variant and the captured code, in turns. Default: 30.'),
});

export const useInAppSchema = z.object({
  app: z.string().default('.'),
  ...deviceOptions,
  rounds: z
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe(
      'On hardware, how many times to run each build, in turns. A build wins if its slowest run beats the fastest run of the others.',
    ),
  timeLimitSeconds,
});

export type UseInReproducerOptions = z.output<typeof useInReproducerSchema>;
export type UseInAppOptions = z.output<typeof useInAppSchema>;
