import { z } from 'zod';

export const pgoBuildOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End each compilation after this time.'),
});

export type PgoBuildOptions = z.output<typeof pgoBuildOptionsSchema>;
