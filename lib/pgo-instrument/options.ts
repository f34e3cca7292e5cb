import { z } from 'zod';

/** A reproducer replays one dispatch: sampling gains nothing, unless sampling itself is to be examined. */
export const instrumentingOptions = {
  sample: z
    .string()
    .regex(/^(all|blocks:([1-9]\d*))$/, 'must be "all" or "blocks:N"')
    .default('all')
    .describe(
      'Who counts. all: every workgroup. blocks:N: one workgroup in N (a power of two), chosen by a hash of its position. The others run a copy without counters.',
    ),
  slots: z
    .int()
    .min(1)
    .max(65536)
    .default(256)
    .describe(
      'Copies of each counter, a power of two. More copies mean less waiting between waves. Merging adds them up.',
    ),
  uniform: z
    .enum(['branch', 'full-mask'])
    .default('branch')
    .describe(
      'When a block is uniform. branch: every lane that was at the branch before it reaches it. full-mask: a full wave reaches it, as in the RFC.',
    ),
  skipGuards: z
    .boolean()
    .default(false)
    .describe('Leave out kernels without branches, and kernels whose only branch guards everything else.'),
} as const;

export const pgoInstrumentOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  ...instrumentingOptions,
  compileLimitSeconds: z.number().positive().default(600).describe('End the compilation after this time.'),
});

export type PgoInstrumentOptions = z.output<typeof pgoInstrumentOptionsSchema>;
