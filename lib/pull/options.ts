import { z } from 'zod';
import { remoteOption } from '../remote/remote-option';

export const pullOptionsSchema = z.object({
  source: z
    .string()
    .default('.')
    .describe('Folder of a reproducer that has pushed.json, or the reference that `kernloop push` gave.'),
  to: z
    .string()
    .min(1)
    .optional()
    .describe('With a reference: the reproducer whose capture it becomes, or the folder.'),
  remote: remoteOption,
  store: z
    .string()
    .optional()
    .describe("Chunk store to fetch into; else KERNLOOP_STORE, else the workspace's .kernloop/store."),
});

export type PullOptions = z.output<typeof pullOptionsSchema>;
