import { z } from 'zod';
import { remoteOption } from '../remote/remote-option';

export const pushOptionsSchema = z.object({
  capture: z.string().default('.').describe('Folder of a reproducer (all its captures are sent), or of one capture.'),
  remote: remoteOption,
  store: z
    .string()
    .optional()
    .describe("Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store."),
  dryRun: z.boolean().default(false).describe('Say what would be sent. Send nothing.'),
});

export type PushOptions = z.output<typeof pushOptionsSchema>;
