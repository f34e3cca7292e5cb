import { z } from 'zod';

export const pgoMergeResultSchema = z.object({
  kernel: z.string(),
  profile: z.string().describe('The indexed profile, which llvm-profdata-22 and clang-22 read; absolute.'),
  waves: z.string().describe('The side file: uniform lanes and wave visits; absolute.'),
  profile_sha256: z.string(),
  arch: z.string(),
  inputs: z.array(z.object({ file: z.string(), weight: z.int() })),
  functions: z.int(),
  counters: z.int(),
  notes: z.array(z.string()),
});

export type PgoMergeResult = z.output<typeof pgoMergeResultSchema>;
