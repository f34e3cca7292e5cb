import { z } from 'zod';

export const unpackOptionsSchema = z.object({
  file: z.string().min(1).describe('What `kernloop pack` wrote.'),
  to: z
    .string()
    .min(1)
    .default('.')
    .describe(
      'A reproducer, whose capture/ it becomes; or the folder that it becomes. The working folder, if that is neither a reproducer nor empty, gets a folder named after the file.',
    ),
});

export type UnpackOptions = z.output<typeof unpackOptionsSchema>;
