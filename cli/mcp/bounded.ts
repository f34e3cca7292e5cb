/** Limits of an excerpt: items of a list, and characters of a text. */
const firstItems = 5;
const firstCharacters = 200;
const deepest = 6;

/** An excerpt with the beginning of each list and text, to show its form. */
export function excerptOf(value: unknown, maxBytes: number): unknown {
  for (const depth of [deepest, 4, 2, 1]) {
    const cut = shortened(value, depth);
    if (sizeOf(cut) <= maxBytes) return cut;
  }
  return '…';
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string')
    return value.length > firstCharacters ? `${value.slice(0, firstCharacters)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const first = value.slice(0, firstItems).map((item) => shortened(item, depth - 1));
    return value.length > firstItems ? [...first, `… ${value.length - firstItems} more`] : first;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, depth - 1)]));
}

export const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Last lines of the messages, which contain the verdict, within a number of bytes. */
export function lastLines(lines: readonly string[], maxBytes: number): string {
  const kept: string[] = [];
  let left = maxBytes;
  for (const line of [...lines].reverse()) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) return [`(${lines.length - kept.length} lines before these are left out)`, ...kept].join('\n');
    kept.unshift(line);
  }
  return kept.join('\n');
}

/** A page of text from an offset, cut between characters. `next` is the offset of the next page. */
export function pageOf(content: Buffer, offset: number, maxBytes: number): { text: string; next: number | undefined } {
  const isWithin = (at: number): boolean => at < content.length && ((content[at] ?? 0) & 0xc0) === 0x80;
  let end = Math.min(content.length, offset + maxBytes);
  // A character has at most three such bytes: more in a row are no text.
  for (let back = 0; back < 3 && end > offset + 1 && isWithin(end); back += 1) end -= 1;
  return { text: content.toString('utf8', offset, end), next: end < content.length ? end : undefined };
}
