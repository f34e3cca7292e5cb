import { z } from 'zod';

export const pgoAppMergeResultSchema = z.object({
  app: z.string(),
  profile: z.string().describe('The indexed profile, which llvm-profdata-22 and clang-22 read; absolute.'),
  host_profile: z
    .string()
    .nullable()
    .describe('The indexed profile of the host code, absolute; null where that was not counted.'),
  waves: z.string().describe('The side file: uniform lanes and wave visits; absolute.'),
  profile_sha256: z.string(),
  arch: z.string(),
  functions: z.int(),
  counters: z.int(),
  notes: z.array(z.string()),
});

export type PgoAppMergeResult = z.output<typeof pgoAppMergeResultSchema>;
