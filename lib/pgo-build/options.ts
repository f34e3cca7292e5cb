import { z } from 'zod';

export const pgoBuildOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End each compilation after this time.'),
});

export type PgoBuildOptions = z.output<typeof pgoBuildOptionsSchema>;
