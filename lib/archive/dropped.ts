import { z } from 'zod';
import type { OverwrittenRow } from './overwritten';
import { count } from '../support/count';

/** Bytes of a region that its capture no longer holds: the captured dispatch neither reads nor writes them. */
export const droppedSchema = z.looseObject({ offset: count, bytes: count });

/** Result of `--shrink`. It is kept in selfcheck.json because the replays there are its proof. */
export const shrinkSchema = z.looseObject({
  dropped_bytes: count.describe('Of what was captured before the dispatch; 0: it holds all of it.'),
  granule: count.describe('In pieces of so many bytes.'),
  reason: z.string().nullable().describe('Why nothing was dropped although something was unused.'),
});

export type Shrink = z.output<typeof shrinkSchema>;

/** Offsets in bytes from the start of a region. */
export interface UnusedRange {
  region: string;
  offset: number;
  bytes: number;
}

/** Expands rows of regions to single ranges. */
export function rangesOf(rows: readonly OverwrittenRow[]): UnusedRange[] {
  return rows.flatMap(({ region, offset, bytes, count: repeated = 1, stride = 0 }) =>
    region === undefined
      ? []
      : Array.from({ length: repeated }, (_, index) => ({ region, offset: offset + index * stride, bytes })),
  );
}

/** Intersection of two lists of ranges. */
export function inBoth(a: readonly UnusedRange[], b: readonly UnusedRange[]): UnusedRange[] {
  const found: UnusedRange[] = [];
  for (const region of new Set(a.map((range) => range.region))) {
    const [left, right] = [a, b].map((ranges) =>
      ranges.filter((range) => range.region === region).sort((x, y) => x.offset - y.offset),
    ) as [UnusedRange[], UnusedRange[]];
    for (let i = 0, j = 0; i < left.length && j < right.length;) {
      const [x, y] = [left[i] as UnusedRange, right[j] as UnusedRange];
      const [from, to] = [Math.max(x.offset, y.offset), Math.min(x.offset + x.bytes, y.offset + y.bytes)];
      if (from < to) found.push({ region, offset: from, bytes: to - from });
      if (x.offset + x.bytes < y.offset + y.bytes) i += 1;
      else j += 1;
    }
  }
  return found;
}

export const bytesOf = (ranges: readonly { bytes: number }[]): number =>
  ranges.reduce((sum, { bytes }) => sum + bytes, 0);
