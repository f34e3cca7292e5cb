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
      region_bytes: count.describe('Memory of the program that is in it.'),
    }),
  ),
  chunks_sent: count.describe('With --dry-run, those that would be.'),
  bytes_sent: count,
  dry_run: z.boolean(),
});

export type PushResult = z.output<typeof pushResultSchema>;
