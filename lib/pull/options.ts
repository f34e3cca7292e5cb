import { z } from 'zod';
import { remoteOption } from '../remote/remote-option';

export const pullOptionsSchema = z.object({
  source: z
    .string()
    .default('.')
    .describe('Folder of a reproducer with a pushed.json, or the reference that `kernloop push` printed.'),
  to: z
    .string()
    .min(1)
    .optional()
    .describe('With a reference: the reproducer to put the capture into, or a new folder.'),
  remote: remoteOption,
  store: z
    .string()
    .optional()
    .describe("Chunk store to fetch into. Default: KERNLOOP_STORE, then the workspace's .kernloop/store."),
});

export type PullOptions = z.output<typeof pullOptionsSchema>;
