import { z } from 'zod';
import { count } from '../support/count';

const unreadable = z.array(z.object({ code: z.string(), message: z.string() }));
const problems = z.array(z.object({ sha256: z.string(), message: z.string(), captures: z.array(z.string()) }));

export const verifiedSchema = z.object({
  event: z.literal('store_verified'),
  chunks: count,
  bytes_stored: count,
  captures: count,
  damaged_count: count,
  damaged: problems,
  missing_count: count,
  missing: problems,
  unreadable,
});

const captureUse = z.object({
  path: z.string(),
  kernel: z.string(),
  chunks: count,
  bytes_stored: count,
  bytes_own: count.describe('What removing the capture, and gc, would free.'),
  chunks_missing: count,
});

export const statsSchema = z.object({
  event: z.literal('store_stats'),
  chunks: count,
  bytes_stored: count,
  bytes_raw: count,
  chunks_shared: count,
  bytes_shared: count,
  chunks_unused: count,
  bytes_unused: count,
  captures: z.array(captureUse),
  unreadable,
});

export const collectedSchema = z.object({
  event: z.literal('store_collected'),
  dry_run: z.boolean(),
  captures: count,
  chunks_kept: count,
  bytes_kept: count,
  chunks_recent: count,
  bytes_recent: count,
  chunks_removed: count,
  bytes_removed: count,
});

const place = { store: z.string().describe('The folder of the store, absolute.') };

/** One of three results, distinguished by `event`. */
export const storeResultSchema = z.discriminatedUnion('event', [
  verifiedSchema.extend(place),
  statsSchema.extend(place),
  collectedSchema.extend(place),
]);

export type Verified = z.output<typeof verifiedSchema>;
export type Stats = z.output<typeof statsSchema>;
export type Collected = z.output<typeof collectedSchema>;
export type StoreResult = z.output<typeof storeResultSchema>;
