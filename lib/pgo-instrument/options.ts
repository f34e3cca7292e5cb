import { z } from 'zod';

/** A reproducer replays one dispatch: nothing is gained by counting a part of it, unless that is what is to be seen. */
export const instrumentingOptions = {
  sample: z
    .string()
    .regex(/^(all|blocks:([1-9]\d*))$/, 'must be "all" or "blocks:N"')
    .default('all')
    .describe(
      'Who counts: all, or blocks:N, one workgroup in N (a power of two), chosen by a hash of its place; the others run a copy without counters.',
    ),
  slots: z
    .int()
    .min(1)
    .max(65536)
    .default(256)
    .describe(
      'Copies of each counter, a power of two, so that waves do not wait for each other; merging adds them up.',
    ),
  uniform: z
    .enum(['branch', 'full-mask'])
    .default('branch')
    .describe(
      'What a uniform block is: one that all lanes reach which were at the branch that leads to it (branch), or which a full wave reaches (full-mask, as in the RFC).',
    ),
  skipGuards: z
    .boolean()
    .default(false)
    .describe('Leave out kernels without a branch, and those whose only branch guards all the rest.'),
} as const;

export const pgoInstrumentOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  ...instrumentingOptions,
  compileLimitSeconds: z.number().positive().default(600).describe('End the compilation after this time.'),
});

export type PgoInstrumentOptions = z.output<typeof pgoInstrumentOptionsSchema>;
