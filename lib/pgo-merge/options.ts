import { z } from 'zod';

export const pgoMergeOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  input: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A raw or indexed profile, or a folder of them, with its weight behind a comma if that is not 1 ("runs/a,3"); relative to the working folder. If left out, pgo/raw of the reproducer.',
    ),
  mixedSampling: z
    .boolean()
    .default(false)
    .describe('Add up profiles although they stand for different shares of a run.'),
});

export type PgoMergeOptions = z.output<typeof pgoMergeOptionsSchema>;
