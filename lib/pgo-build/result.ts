import { z } from 'zod';

export const builtReproducerSchema = z.object({
  subject: z.literal('reproducer'),
  kernel: z.string(),
  profile_sha256: z.string(),
  compiler: z.string(),
  up_to_date: z.boolean().describe('They were there already, from the same sources, profile and compiler.'),
  variants: z.array(
    z.object({
      name: z
        .string()
        .describe(
          'base: without a profile; off, uniform, flatten and wave: which frequencies spills see; use: with a profile, of CUDA.',
        ),
      code_object: z.string().describe('Absolute.'),
      code_object_sha256: z.string(),
      spill_dwords: z.int().nullable().describe('Stores and loads that register allocation placed in the kernel.'),
      score: z
        .number()
        .nullable()
        .describe('Spilled dwords times measured wave visits of their blocks; null where the profile does not tell.'),
    }),
  ),
});

export const builtAppSchema = z.object({
  subject: z.literal('app'),
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

export type BuiltReproducer = z.output<typeof builtReproducerSchema>;
export type BuiltApp = z.output<typeof builtAppSchema>;
