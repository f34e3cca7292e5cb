import { z } from 'zod';

const merged = {
  profile: z.string().describe('The indexed profile, which llvm-profdata-22 and clang-22 read; absolute.'),
  waves: z.string().describe('The side file: uniform lanes and wave visits; absolute.'),
  profile_sha256: z.string(),
  arch: z.string(),
  inputs: z.array(z.object({ file: z.string(), weight: z.int() })),
  functions: z.int(),
  counters: z.int(),
  notes: z.array(z.string()),
} as const;

export const mergedReproducerSchema = z.object({ subject: z.literal('reproducer'), kernel: z.string(), ...merged });

export const mergedAppSchema = z.object({
  subject: z.literal('app'),
  app: z.string(),
  host_profile: z
    .string()
    .nullable()
    .describe('The indexed profile of the host code, absolute; null where that was not counted.'),
  ...merged,
});

export type MergedReproducer = z.output<typeof mergedReproducerSchema>;
export type MergedApp = z.output<typeof mergedAppSchema>;
