import { z } from 'zod';
import { replayingOptions } from '../replay/options';

const { reproducer, capture, device, gpu, softgpu, store, launch, limitFactor, limitSeconds } = replayingOptions;

export const pgoUseOptionsSchema = z.object({
  ...{ reproducer, capture, device, gpu, softgpu, store, launch, limitFactor, limitSeconds },
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('On hardware, how many times to replay each variant and the captured code, in turns. Default: 30.'),
});

export type PgoUseOptions = z.output<typeof pgoUseOptionsSchema>;
