import { z } from 'zod';

export const recompileOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  lineInfo: z
    .boolean()
    .optional()
    .describe('Have the code name the lines of the source, for `kernloop replay --hot-spots`.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End the compilation after this time.'),
});

export type RecompileOptions = z.output<typeof recompileOptionsSchema>;
