import { z } from 'zod';
import { replayingOptions } from '../replay/options';
import { validateOptionsSchema } from '../validate/options';

const { reproducer, capture, device, gpu, softgpu, store, launch, limitFactor } = replayingOptions;
const { atol, rtol, ulp, matchedRatio, nan, inf, dtype, replays, adverse, delays, record, inputsKeep, inputsRecord } =
  validateOptionsSchema.shape;

/** Options that say what a candidate, a variant that is not the reproducer's own, is replayed on. */
export const candidateReplaying = {
  ...{ reproducer, capture, device, gpu, softgpu, store, launch, limitFactor },
  limitSeconds: z.number().min(0.001).default(10).describe('On hardware, end a replay of a candidate after this time.'),
};

export const iterations = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe('On hardware, how many times to replay each candidate and the captured code, in turns. Default: 30.');

/** Number of derived inputs, without a default; each stage describes it. */
export const inputs = z.int().min(0).max(1000).optional();

/** Options of validate that decide how a candidate is judged; values in kernel.json for validate apply here too. */
export const judging = { atol, rtol, ulp, matchedRatio, nan, inf, dtype, record, inputs, inputsKeep, inputsRecord };

export const trying = { replays, adverse, delays };

export type CandidateOptions = z.output<
  z.ZodObject<typeof candidateReplaying & typeof judging & typeof trying & { iterations: typeof iterations }>
>;
