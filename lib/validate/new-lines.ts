import { diffLines } from 'diff';

/** Time for one file; a file that takes longer is no edit that a person made. */
const diffLimitMs = 2000;

/** Numbers of the lines of `after` that `before` lacks; null if that takes too long to find out. */
export function newLines(before: string, after: string): number[] | null {
  return (
    differences(before, after)?.flatMap(({ added, count, line }) =>
      added ? Array.from({ length: count }, (_, index) => line + index) : [],
    ) ?? null
  );
}

/** Number of the line at which each change begins; null likewise. */
export function changesIn(before: string, after: string): number[] | null {
  const parts = differences(before, after);
  if (parts === null) return null;
  const last = after.replace(/\n$/, '').split('\n').length;
  const begins = parts.filter(({ added, removed }, index) => {
    const previous = parts[index - 1];
    return (added || removed) && !(previous?.added === true || previous?.removed === true);
  });
  return begins.map(({ line }) => Math.min(line, last));
}

/** Numbers of the lines of `before` that each change removed, and of those of `after` that it put there; null likewise. */
export function hunksOf(before: string, after: string): { removed: number[]; added: number[] }[] | null {
  const parts = differences(before, after);
  if (parts === null) return null;
  const found: { removed: number[]; added: number[] }[] = [];
  let old = 1;
  let isOpen = false;
  for (const { added, removed, count, line } of parts) {
    const from = removed ? old : line;
    if (!added) old += count;
    if (added || removed) {
      const lines = Array.from({ length: count }, (_, index) => from + index);
      const hunk = (isOpen ? found.pop() : undefined) ?? { removed: [], added: [] };
      found.push(removed ? { ...hunk, removed: [...hunk.removed, ...lines] } : { ...hunk, added: lines });
    }
    isOpen = added || removed;
  }
  return found;
}

/** Parts that differ or are the same, each with the number of its line in `after`. */
export function differences(
  before: string,
  after: string,
): { added: boolean; removed: boolean; count: number; line: number; value: string }[] | null {
  if (before === after) return [];
  const parts = diffLines(before, after, { timeout: diffLimitMs, stripTrailingCr: true });
  let next = 1;
  return (
    parts?.map(({ added, removed, count, value }) => {
      const line = next;
      if (!removed) next += count;
      return { added, removed, count, line, value };
    }) ?? null
  );
}
