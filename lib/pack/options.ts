import { z } from 'zod';

export const packOptionsSchema = z.object({
  capture: z.string().default('.').describe('Folder of a reproducer, or of a capture.'),
  output: z.string().min(1).optional().describe('File to write. Default: `<kernel>.klcap` in the working folder.'),
  store: z
    .string()
    .optional()
    .describe("Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store."),
});

export type PackOptions = z.output<typeof packOptionsSchema>;
