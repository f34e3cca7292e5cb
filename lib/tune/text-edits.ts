import { join } from 'node:path';
import { KernloopError } from '../support/error';
import type { Value } from '../support/expression';
import { readRegularFile } from '../support/regular-file';

/** Text of a file that is written back later; bytes that are not UTF-8 are refused, because they would not survive. */
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

/** Position and current text of a value. */
export interface Place {
  start: number;
  end: number;
  text: string;
}

export interface Edit {
  place: Place;
  text: string;
}

/** Applies the edits; their places do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.place.start - a.place.start)
    .reduce((now, { place, text: mine }) => now.slice(0, place.start) + mine + now.slice(place.end), text);
}

/** Value of a Python or C++ literal; undefined for other text. */
export function literalValue(text: string): Value | undefined {
  const word = text.trim();
  if (/^(True|true)$/.test(word)) return true;
  if (/^(False|false)$/.test(word)) return false;
  const quoted = /^(["'])([^"'\\]*)\1$/.exec(word);
  if (quoted) return quoted[2] ?? '';
  return numberOf(word.replaceAll("'", ''));
}

/** Also undefined if a JavaScript number cannot hold the value exactly: two values must never be taken for one. */
function numberOf(word: string): number | undefined {
  const [, sign, hex, octal, decimal] =
    /^(-?)(?:0[xX]([\da-fA-F]+)[uUlLzZ]*|0([0-7]+)[uUlLzZ]*|((?!0\d+[uUlLzZ]*$)\d*\.?\d+(?:[eE][-+]?\d+)?)[uUlLzZfF]*)$/.exec(
      word,
    ) ?? [];
  const digits = decimal ?? (hex === undefined ? octal : hex);
  if (digits === undefined) return undefined;
  // A leading zero means octal in C++: 010 is eight.
  const size = decimal === undefined ? parseInt(digits, hex === undefined ? 8 : 16) : Number(digits);
  if (Number.isInteger(size) && !Number.isSafeInteger(size)) return undefined;
  return sign === '-' ? -size : size;
}
