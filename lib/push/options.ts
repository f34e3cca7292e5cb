import { z } from 'zod';
import { remoteOption } from '../remote/remote-option';

export const pushOptionsSchema = z.object({
  capture: z.string().default('.').describe('Folder of a reproducer (all its captures are sent), or of one capture.'),
  remote: remoteOption,
  store: z
    .string()
    .optional()
    .describe("Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store."),
  encrypt: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Encrypt everything for the age public keys in this file, one a line, before it is sent. Default: those of KERNLOOP_AGE_RECIPIENTS.',
    ),
  accept: z
    .boolean()
    .default(false)
    .describe("Agree to this workspace's first unencrypted push to this server. The answer is remembered."),
  dryRun: z.boolean().default(false).describe('Say what would be sent. Send nothing.'),
});

export type PushOptions = z.output<typeof pushOptionsSchema>;
