import { z } from 'zod';

export const kernelsOptionsSchema = z.object({
  workspace: z
    .string()
    .default('.')
    .describe('Folder of the workspace, or any folder below it. Without nx.json: the folder itself.'),
});

export type KernelsOptions = z.output<typeof kernelsOptionsSchema>;
