import { z } from 'zod';
import { remoteOption } from '../remote/remote-option';

export const pushOptionsSchema = z.object({
  capture: z
    .string()
    .default('.')
    .describe('Folder of a reproducer, all of whose captures are meant, or of a capture.'),
  remote: remoteOption,
  store: z
    .string()
    .optional()
    .describe("Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store."),
  dryRun: z.boolean().default(false).describe('Say what would be sent, and send nothing.'),
});

export type PushOptions = z.output<typeof pushOptionsSchema>;
