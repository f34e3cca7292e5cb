import { z } from 'zod';
import { count } from '../support/count';

export const outcomes = ['written', 'unchanged', 'repaired'] as const;

export const unpackResultSchema = z.object({
  capture: z.string().describe('The folder, absolute.'),
  outcome: z
    .enum(outcomes)
    .describe('"unchanged": the same capture was there already; "repaired": it was, and got the chunks it lacked.'),
  capture_sha256: z.string(),
  chunks: count,
});

export type UnpackResult = z.output<typeof unpackResultSchema>;
