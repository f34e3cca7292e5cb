import type { Value } from '../support/expression';

/** Where a value stands in a text, and what stands there now. */
export interface Place {
  start: number;
  end: number;
  text: string;
}

export interface Edit {
  place: Place;
  text: string;
}

/** The text with each place as its edit says; places do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.place.start - a.place.start)
    .reduce((now, { place, text: mine }) => now.slice(0, place.start) + mine + now.slice(place.end), text);
}

/** What a literal of Python or C++ is, where it is one. */
export function literalValue(text: string): Value | undefined {
  const word = text.trim();
  if (/^(True|true)$/.test(word)) return true;
  if (/^(False|false)$/.test(word)) return false;
  const quoted = /^(["'])([^"'\\]*)\1$/.exec(word);
  if (quoted) return quoted[2] ?? '';
  // 16u, 1.5f: of C++.
  const number = word.replace(/^((?:0[xX])?[\d.']+(?:e[-+]?\d+)?)[uUlLfF]*$/, '$1').replaceAll("'", '');
  return /^-?(?:0[xX][\da-fA-F]+|\d*\.?\d+(?:e[-+]?\d+)?)$/.test(number) ? Number(number) : undefined;
}
