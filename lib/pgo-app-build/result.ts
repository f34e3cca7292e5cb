import { z } from 'zod';

export const pgoAppBuildResultSchema = z.object({
  app: z.string(),
  profile_sha256: z.string(),
  compiler: z.string(),
  builds: z.array(
    z.object({
      name: z.string().describe('base: clang 22 without a profile; the others by the gate.'),
      program: z.string().describe('Absolute.'),
      sha256: z.string(),
    }),
  ),
});

export type PgoAppBuildResult = z.output<typeof pgoAppBuildResultSchema>;
