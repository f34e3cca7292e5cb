import { z } from 'zod';

const merging = {
  input: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A raw or indexed profile, or a folder of them; "runs/a,3" gives it weight 3. Relative to the working folder. Default: what pgo-generate collected.',
    ),
  mixedSampling: z
    .boolean()
    .default(false)
    .describe('Merge profiles even if they sampled different shares of the run.'),
} as const;

export const mergeOfReproducerSchema = z.object({ reproducer: z.string().default('.'), ...merging });
export const mergeOfAppSchema = z.object({ app: z.string().default('.'), ...merging });

export type MergeOptions = Omit<z.output<typeof mergeOfAppSchema>, 'app'>;
export type MergeOfReproducerOptions = z.output<typeof mergeOfReproducerSchema>;
export type MergeOfAppOptions = z.output<typeof mergeOfAppSchema>;
