import { z } from 'zod';
import { count } from '../support/count';

export const packResultSchema = z.object({
  file: z.string().describe('Absolute.'),
  capture_sha256: z.string(),
  chunks: count,
  bytes: count.describe('Of the file.'),
  encrypted: z.boolean(),
});

export type PackResult = z.output<typeof packResultSchema>;
