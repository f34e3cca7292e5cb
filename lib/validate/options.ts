import { z } from 'zod';
import { replayingOptions } from '../replay/options';

const toleranceOptions = {
  atol: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Elements may differ by atol + rtol * |what the app computed|. Without any tolerance, every byte must be equal.',
    ),
  rtol: z.number().min(0).optional().describe('See atol.'),
  ulp: z
    .int()
    .min(0)
    .optional()
    .describe('Floating-point elements may also differ by so many units in the last place.'),
  dtype: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Element types for the tolerance: "r3=f32" (a region, pointer parameter or module variable; "r3:OFFSET:SIZE=f32" for a part), or "f32" for all that the kernel changed and no pointer argument types.',
    ),
};

export const validateOptionsSchema = z.object({
  ...replayingOptions,
  replays: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe('Replays to compare, each with another wave order and poison pattern.'),
  ...toleranceOptions,
});

export type ValidateOptions = z.output<typeof validateOptionsSchema>;
export type ToleranceOptions = Pick<ValidateOptions, keyof typeof toleranceOptions>;
