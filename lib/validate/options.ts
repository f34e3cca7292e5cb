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
  matchedRatio: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      'Share of the elements of each typed range that must be within the tolerance, 0 to 1; all, if left out. Never excuses a NaN or an infinity in place of a number.',
    ),
  nan: z
    .enum(['match', 'refuse', 'ignore'])
    .optional()
    .describe(
      'Where the app computed a NaN: it must be a NaN too (match, if left out); it fails whatever it is, and so does any other NaN (refuse); it passes whatever it is (ignore). A NaN in place of a number always fails.',
    ),
  inf: z
    .enum(['match', 'refuse', 'ignore'])
    .optional()
    .describe('The same for an infinity, which matches only one of its sign.'),
  dtype: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Element types for the tolerance: "r3=f32" (a region, pointer parameter or module variable; "r3:OFFSET:SIZE=f32" for a part), or "f32" for all that the kernel changed and no pointer argument types. A type of another size or kind than the signature says is refused.',
    ),
  forceDtype: z
    .boolean()
    .default(false)
    .describe('Take the word of --dtype also against the signature; the verdict says so.'),
};

const recordOption = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Bytes of one record in an array that threads fill in any order: "out=8" (a region, pointer parameter or module variable). For where the self-check cannot tell; "record_bytes" of an argument in kernel.json keeps it.',
  );

export const validateOptionsSchema = z.object({
  ...replayingOptions,
  replays: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe('Replays to compare, each with another wave order and poison pattern.'),
  adverse: z
    .boolean()
    .default(true)
    .describe(
      'On the software GPU, replay once more in an order of waves that is made to show races, and check for them: what the captured code does not have fails.',
    ),
  ...toleranceOptions,
  record: recordOption,
  racecheck: z
    .boolean()
    .default(false)
    .describe(
      'On cuda, replay once more under the racecheck of compute-sanitizer: a race in shared memory that the captured code has not fails.',
    ),
  initcheck: z
    .boolean()
    .default(false)
    .describe('The same with its initcheck: reads of global memory that nobody has written.'),
  memcheck: z.boolean().default(false).describe('The same with its memcheck: accesses outside of allocations.'),
  verbose: z.boolean().default(false).describe('Show every region that the kernel changed also where all is right.'),
});

export type ValidateOptions = z.output<typeof validateOptionsSchema>;
export type ToleranceOptions = Pick<ValidateOptions, keyof typeof toleranceOptions>;
