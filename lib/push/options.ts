import { z } from 'zod';

export const pushOptionsSchema = z.object({
  capture: z
    .string()
    .default('.')
    .describe('Folder of a reproducer, all of whose captures are meant, or of a capture.'),
  remote: z
    .string()
    .min(1)
    .optional()
    .describe('URL of the server; else KERNLOOP_REMOTE, else "store" in kernloop.json of the app.'),
  store: z
    .string()
    .optional()
    .describe("Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store."),
  dryRun: z.boolean().default(false).describe('Say what would be sent, and send nothing.'),
});

export type PushOptions = z.output<typeof pushOptionsSchema>;
