import { z } from 'zod';
import { count } from '../support/count';

/** Bytes that the dispatch overwrites without reading what they held. */
export const overwrittenSchema = z.looseObject({
  region: z.string().optional(),
  variable: z.string().optional(),
  offset: count,
  bytes: count.describe('Of one range.'),
  count: count.optional().describe('So many of them, where there are several …'),
  stride: count.optional().describe('… at this distance.'),
});

/** A region that the dispatch reads and writes but leaves with the same content. */
export const rereadSchema = z.looseObject({
  region: z.string().optional(),
  variable: z.string().optional(),
  bytes: count,
});

export type Reread = z.output<typeof rereadSchema>;
export type OverwrittenRow = z.output<typeof overwrittenSchema>;
