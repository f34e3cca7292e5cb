import { z } from 'zod';
import { editOptions, replayingOptions } from '../replay/options';

const toleranceOptions = {
  atol: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Absolute tolerance: elements may differ by atol + rtol * |expected value|. Without any tolerance, every byte must be equal.',
    ),
  rtol: z.number().min(0).optional().describe('Relative tolerance. See --atol.'),
  ulp: z
    .int()
    .min(0)
    .optional()
    .describe('Floating-point elements may also differ by this many units in the last place.'),
  matchedRatio: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      'Share of elements, 0 to 1, that must be within the tolerance in each typed range. Default: all. Never excuses a NaN or infinity in place of a number.',
    ),
  nan: z
    .enum(['match', 'refuse', 'ignore'])
    .optional()
    .describe(
      'What to accept where the app computed a NaN. match (default): a NaN. refuse: nothing, and no other NaN either. ignore: anything. A NaN in place of a number always fails.',
    ),
  inf: z
    .enum(['match', 'refuse', 'ignore'])
    .optional()
    .describe('The same for infinities. A match must have the same sign.'),
  dtype: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Element types, for tolerances: "r3=f32" (a region, pointer parameter or module variable), "r3:OFFSET:SIZE=f32" (part of one), or "f32" (everything the kernel changed that has no type from the signature). A type that contradicts the signature is refused.',
    ),
  forceDtype: z
    .boolean()
    .default(false)
    .describe(
      'Use --dtype, and element of kernel.json, even where they contradict the signature. The verdict says so.',
    ),
};

const recordOption = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Record size of an array that threads fill in any order: "out=8" (a region, pointer parameter or module variable). Only needed if the self-check cannot tell. "record_bytes" in kernel.json makes it permanent.',
  );

export const validateOptionsSchema = z.object({
  ...replayingOptions,
  ...editOptions,
  replays: z
    .int()
    .min(1)
    .max(1000)
    .default(2)
    .describe('Number of replays to compare, each with a different wave order and poison pattern.'),
  adverse: z
    .boolean()
    .optional()
    .describe(
      'Also replay in a wave order that provokes races, and detect them. Races that the captured code does not have fail. Default: true on the software GPU (--no-adverse leaves it out); no other device can.',
    ),
  ...toleranceOptions,
  record: recordOption,
  inputs: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe(
      'Also judge by this many inputs derived from the captured one: other values in what the kernel reads, and lesser sizes. The captured code says what is right for them; inputs that it cannot take are dropped.',
    ),
  inputsSeed: z.int().min(0).default(1).describe('Seed of the derived inputs. The same seed gives the same inputs.'),
  inputsOnly: z
    .int()
    .min(1)
    .max(2000)
    .optional()
    .describe('Judge by this one derived input only, with the number that a failure names.'),
  inputsSpecial: z
    .boolean()
    .default(false)
    .describe('Also put NaN, infinities, -0 and subnormal numbers into the floating-point arrays of derived inputs.'),
  inputsKeep: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Leave this as captured in derived inputs: a scalar argument, pointer parameter or region. For values that a correct variant may rely on.',
    ),
  inputsRecord: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Array of records, such as quantised blocks: "x=18" (a pointer parameter, region or module variable, and the bytes of one record) or "x:OFFSET:SIZE=18" (a part). Its whole records change places in derived inputs, and nothing else in it changes.',
    ),
  mayReadUntouched: z
    .boolean()
    .default(false)
    .describe(
      'Let the result depend on captured memory that was 0 and that the captured code neither reads nor writes, which otherwise fails: for an app that always writes 0 there. The verdict says so.',
    ),
  delays: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(
      'Number of further launches in which warps wait at random before their accesses to memory and their barriers, to provoke races; launches in which half of the blocks wait follow. 0: none. Needs the PTX of the variant. Failures that the captured code does not have fail. Default: 4 on cuda; no other device can.',
    ),
  racecheck: z
    .boolean()
    .default(false)
    .describe(
      'On cuda, also replay under the racecheck of compute-sanitizer. Shared-memory races that the captured code does not have fail.',
    ),
  initcheck: z
    .boolean()
    .default(false)
    .describe('The same with initcheck: reads of global memory that was never written.'),
  memcheck: z.boolean().default(false).describe('The same with memcheck: accesses outside allocations.'),
  verbose: z.boolean().default(false).describe('Show every region the kernel changed, even if all are right.'),
});

export type ValidateOptions = z.output<typeof validateOptionsSchema>;
/** Options of a caller that judges; those who read the report must not learn a secret seed, nor values drawn with it. */
export type JudgingOptions = ValidateOptions & { readonly isSeedSecret?: boolean };
export type ToleranceOptions = Pick<ValidateOptions, keyof typeof toleranceOptions>;
