import { z } from 'zod';
import { replayingOptions } from '../replay/options';

const { reproducer, capture, device, gpu, softgpu, store, launch, limitSeconds } = replayingOptions;

export const pgoGenerateOptionsSchema = z.object({
  ...{ reproducer, capture, device, gpu, softgpu, store, launch, limitSeconds },
  limitFactor: z
    .number()
    .min(1)
    .default(10)
    .describe(
      'On the software GPU, end a replay once it executes this many times the wave-instructions of the captured dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all. The limit is ten times that here, because counters cost instructions.',
    ),
});

export type PgoGenerateOptions = z.output<typeof pgoGenerateOptionsSchema>;
