import { z } from 'zod';

export const packOptionsSchema = z.object({
  capture: z.string().default('.').describe('Folder of a reproducer, or of a capture.'),
  output: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File to write. Default: `<kernel>.klcap` in the working folder, `<kernel>.klcap.age` where it is encrypted.',
    ),
  encrypt: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Encrypt the file for the age public keys in this file, one a line. Default: those of KERNLOOP_AGE_RECIPIENTS.',
    ),
  store: z
    .string()
    .optional()
    .describe("Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store."),
});

export type PackOptions = z.output<typeof packOptionsSchema>;
