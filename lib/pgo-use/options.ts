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
    .describe('On hardware, how often each variant and the captured code are replayed in turns; 30 if left out.'),
});

export type PgoUseOptions = z.output<typeof pgoUseOptionsSchema>;
