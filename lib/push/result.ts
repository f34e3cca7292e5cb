import { z } from 'zod';
import { count } from '../support/count';

export const pushResultSchema = z.object({
  remote: z.string().describe('URL of the server.'),
  reference: z
    .string()
    .nullable()
    .describe('SHA-256 that `kernloop pull` takes; with --dry-run and --encrypt there is none yet.'),
  encrypted: z.boolean(),
  captures: z.array(
    z.object({
      folder: z.string(),
      kernel: z.string(),
      chunks: count,
      regions: count,
      regionBytes: count.describe('Memory of the program that is in it.'),
    }),
  ),
  chunksSent: count.describe('With --dry-run, those that would be.'),
  bytesSent: count,
  dryRun: z.boolean(),
});

export type PushResult = z.output<typeof pushResultSchema>;
