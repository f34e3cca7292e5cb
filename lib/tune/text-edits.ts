import { join } from 'node:path';
import { KernloopError } from '../support/error';
import type { Value } from '../support/expression';
import { readRegularFile } from '../support/regular-file';

/** Of a file that is to be written back: what its bytes mean where they are not UTF-8, nobody says. */
export function editableText(root: string, name: string): string {
  const bytes = readRegularFile(join(root, name));
  const text = bytes.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(bytes)) return text;
  throw new KernloopError(
    'TUNE_PARAMETER',
    `${name} is not UTF-8: an edit of it would change more than the value`,
    `convert it: \`iconv -f latin1 -t utf-8\`, or give the parameter a macro (-D) instead`,
  );
}

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
  return numberOf(word.replaceAll("'", ''));
}

/** Undefined also where a number of JavaScript cannot tell it from its neighbours: two values must never pass for one. */
function numberOf(word: string): number | undefined {
  const [, sign, hex, octal, decimal] =
    /^(-?)(?:0[xX]([\da-fA-F]+)[uUlLzZ]*|0([0-7]+)[uUlLzZ]*|((?!0\d+[uUlLzZ]*$)\d*\.?\d+(?:[eE][-+]?\d+)?)[uUlLzZfF]*)$/.exec(
      word,
    ) ?? [];
  const digits = decimal ?? (hex === undefined ? octal : hex);
  if (digits === undefined) return undefined;
  // 010 is eight in C++.
  const size = decimal === undefined ? parseInt(digits, hex === undefined ? 8 : 16) : Number(digits);
  if (Number.isInteger(size) && !Number.isSafeInteger(size)) return undefined;
  return sign === '-' ? -size : size;
}
