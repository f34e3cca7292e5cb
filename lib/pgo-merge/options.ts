import { z } from 'zod';

export const pgoMergeOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  input: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A raw or indexed profile, or a folder of them; "runs/a,3" gives it weight 3. Relative to the working folder. Default: pgo/raw of the reproducer.',
    ),
  mixedSampling: z
    .boolean()
    .default(false)
    .describe('Merge profiles even if they sampled different shares of the run.'),
});

export type PgoMergeOptions = z.output<typeof pgoMergeOptionsSchema>;
