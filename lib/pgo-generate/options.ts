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
      'On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch (at least one million), ten times as far since counters add to them.',
    ),
});

export type PgoGenerateOptions = z.output<typeof pgoGenerateOptionsSchema>;
