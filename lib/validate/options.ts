import { z } from 'zod';
import { replayingOptions } from '../replay/options';

export const validateOptionsSchema = z.object({
  ...replayingOptions,
  replays: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe('Replays to compare, each with another wave order and poison pattern.'),
});

export type ValidateOptions = z.output<typeof validateOptionsSchema>;
