import { z } from 'zod';

export const recompileOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  lineInfo: z
    .boolean()
    .optional()
    .describe(
      'Compile with line information, so that `kernloop replay --hot-spots` and a verdict can name source lines. Default: for edits that the software GPU judges.',
    ),
  compileLimitSeconds: z.number().positive().default(600).describe('End the compilation after this time.'),
});

export type RecompileOptions = z.output<typeof recompileOptionsSchema>;
