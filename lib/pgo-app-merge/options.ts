import { z } from 'zod';

export const pgoAppMergeOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  input: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A raw or indexed profile, or a folder of them, with its weight behind a comma if that is not 1 ("runs/a,3"); relative to the working folder. If left out, what pgo-app-generate collected.',
    ),
  mixedSampling: z
    .boolean()
    .default(false)
    .describe('Add up profiles although they stand for different shares of a run.'),
});

export type PgoAppMergeOptions = z.output<typeof pgoAppMergeOptionsSchema>;
