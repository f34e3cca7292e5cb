import { z } from 'zod';

export const pgoBuildResultSchema = z.object({
  kernel: z.string(),
  profileSha256: z.string(),
  compiler: z.string(),
  upToDate: z.boolean().describe('They were there already, from the same sources, profile and compiler.'),
  variants: z.array(
    z.object({
      name: z
        .string()
        .describe(
          'base: without a profile; off, uniform, flatten and wave: which frequencies spills see; use: with a profile, of CUDA.',
        ),
      codeObject: z.string().describe('Absolute.'),
      codeObjectSha256: z.string(),
      spillDwords: z.int().nullable().describe('Stores and loads that register allocation placed in the kernel.'),
      score: z
        .number()
        .nullable()
        .describe('Spilled dwords times measured wave visits of their blocks; null where the profile does not tell.'),
    }),
  ),
});

export type PgoBuildResult = z.output<typeof pgoBuildResultSchema>;
