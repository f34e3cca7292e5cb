import { z } from 'zod';
import { numbersAsText } from '../support/options';

/** Ordinals from 1, both ends included; null means no end. */
export type OrdinalRange = readonly [first: number, last: number | null];

/** Selection among the matching dispatches: by ordinal, or the last `last` of them. */
export type Dispatches = { ranges: OrdinalRange[] } | { last: number };

export const dispatchesForm = 'numbers and ranges as in "2,5,9-12,20-", or "last" or "last:3"';

const maxRanges = 64;

const ordinal = z.int().min(1);

/** Text for parseDispatches(). In a file it may also be a number, or a list of numbers. */
export const dispatchesSchema = z
  .union([z.string(), ordinal, z.array(ordinal).min(1)], `give ${dispatchesForm}`)
  .transform((given) => String(numbersAsText(given)))
  .pipe(z.string().refine((text) => parseDispatches(text) !== undefined, `give ${dispatchesForm}`));

/** Reads `3`, `3-7`, `2,5,9-`, `last` or `last:3`; undefined for any other text. */
export function parseDispatches(text: string): Dispatches | undefined {
  const last = /^last(?::(\d{1,9}))?$/.exec(text.trim());
  if (last) {
    const count = last[1] === undefined ? 1 : Number(last[1]);
    return count > 0 ? { last: count } : undefined;
  }
  const ranges = text.split(',').map(parseRange);
  const known = ranges.filter((range) => range !== undefined);
  return known.length === ranges.length && known.length <= maxRanges ? { ranges: joined(known) } : undefined;
}

function parseRange(text: string): OrdinalRange | undefined {
  const parts = /^(\d{1,15})(?:(-)(\d{1,15})?)?$/.exec(text.trim());
  if (!parts) return undefined;
  const first = Number(parts[1]);
  const last = parts[2] === undefined ? first : parts[3] === undefined ? null : Number(parts[3]);
  return first >= 1 && (last === null || last >= first) ? [first, last] : undefined;
}

/** Sorts ranges in ascending order and merges those that touch or overlap. */
export function joined(ranges: readonly OrdinalRange[]): OrdinalRange[] {
  const result: OrdinalRange[] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = result.at(-1);
    if (before === undefined || (before[1] !== null && before[1] + 1 < first)) result.push([first, last]);
    else if (before[1] !== null)
      result[result.length - 1] = [before[0], last === null ? null : Math.max(before[1], last)];
  }
  return result;
}

/** Number of selected ordinals; null if there is no end. */
export function countOf(dispatches: Dispatches): number | null {
  if ('last' in dispatches) return dispatches.last;
  return dispatches.ranges.reduce<number | null>(
    (sum, [first, last]) => (sum === null || last === null ? null : sum + last - first + 1),
    0,
  );
}

export function formatRanges(ranges: readonly OrdinalRange[]): string {
  return ranges.map(([first, last]) => (last === first ? String(first) : `${first}-${last ?? ''}`)).join(',');
}
