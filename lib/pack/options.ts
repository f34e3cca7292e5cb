import { z } from 'zod';

export const packOptionsSchema = z.object({
  capture: z.string().default('.').describe('Folder of a reproducer, or of a capture.'),
  output: z
    .string()
    .min(1)
    .optional()
    .describe('The file to write; `<kernel>.klcap` in the working folder if left out.'),
  store: z
    .string()
    .optional()
    .describe("Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store."),
});

export type PackOptions = z.output<typeof packOptionsSchema>;
