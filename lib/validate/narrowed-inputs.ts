import { escaped } from '../support/patterns';
import { closingOf, codeOf, placesOf } from './conditionals';
import { differences } from './new-lines';

/** Space between a parameter list and its block. */
const mostSpace = 1000;

/** Part of an edit by which the kernel may depend on less of its input than before. */
export interface NarrowedInput {
  /** Line of the edited text. */
  readonly line: number;
  /** "parameter": a scalar that was read there is not. "type": its values have fewer bits. */
  readonly kind: 'parameter' | 'type';
  /** The parameter, or what was put in or removed. */
  readonly text: string;
  readonly change: 'put' | 'removed';
}

const type =
  '(?:signed\\s+char|unsigned\\s+char|u?char[1-4]?|(?:unsigned\\s+)?short|u?short[1-4]?|u?int(?:8|16)_t|(?:__)?half2?|_Float16|__(?:hip|nv)_bfloat162?)';

/** Types of at most 16 bits, casts, masks and remainders of an element, and what the compiler is to assume. */
const narrow = new RegExp(
  [
    String.raw`\b${type}\b`,
    String.raw`\(\s*(?:unsigned(?:\s+int)?|int|float|u?int32_t)\s*\)(?=\s*[\w(*-])|\bstatic_cast\s*<\s*(?:unsigned(?:\s+int)?|int|float|u?int32_t)\s*>`,
    String.raw`(?<=\][\s)]*)[&%]\s*\w+\b(?!\s*[[(.])|[&%]=\s*(?:0x)?\d\w*|<<\s*\d+\s*\)\s*>>`,
    String.raw`\b(?:__)?f?abs[fl]?(?=\s*\()|\b__builtin_(?:assume|unreachable)\b`,
  ].join('|'),
  'g',
);

/** Types of 64 bits. */
const wide = /\b(?:double[1-4]?|long(?:\s+long)?|u?long(?:long)?[1-4]?|s?size_t|u?int64_t|u?intptr_t|ptrdiff_t)\b/g;

interface Hunk {
  readonly line: number;
  readonly removed: string;
  readonly added: string;
}

/**
 * A pass with one input shows neither that another value of the parameter works, nor wider values. Parameters are those
 * of the kernel of that name, and count in its definition alone.
 */
export function narrowedInputs(
  before: string,
  after: string,
  kernel: { readonly name: string; readonly scalars: readonly string[] },
): NarrowedInput[] {
  const code = codeOf(after);
  const hunks = hunksOf(codeOf(before), code);
  const put = (text: string): RegExpMatchArray[] => [...text.matchAll(narrow)];
  const added = hunks.map((hunk) => hunk.added).join('\n');
  const removed = hunks.map((hunk) => hunk.removed).join('\n');
  const isOwn = linesOfKernel(code, kernel.name);
  const addedHere = hunks
    .flatMap((hunk) => hunk.added.split('\n').filter((_, index) => isOwn(hunk.line + index)))
    .join('\n');
  const found: NarrowedInput[] = hunks
    .filter(({ line }) => isOwn(line))
    .flatMap((hunk) =>
      kernel.scalars.flatMap((name) => {
        const isSet = (text: string): boolean => new RegExp(String.raw`(?<![\w.]|->\s*)${name}\s*=(?!=)`).test(text);
        const read =
          readsOf(name, hunk.removed).find((text) => !readsOf(name, addedHere).includes(text)) ??
          (isSet(hunk.added) && !isSet(hunk.removed) ? name : undefined);
        return read === undefined ? [] : [{ ...{ line: hunk.line, kind: 'parameter', text: read }, change: 'removed' }];
      }),
    );
  if (put(added).length > put(removed).length)
    for (const hunk of hunks) {
      const [first] = put(hunk.added);
      if (first === undefined || put(hunk.added).length <= put(hunk.removed).length) continue;
      const line = hunk.line + hunk.added.slice(0, first.index).split('\n').length - 1;
      found.push({ ...{ line, kind: 'type', text: first[0].replaceAll(/\s+/g, ' ') }, change: 'put' });
    }
  const wideOf = (text: string): string[] => text.match(wide) ?? [];
  if (wideOf(added).length < wideOf(removed).length)
    for (const hunk of hunks) {
      const [first] = wideOf(hunk.removed);
      if (first === undefined || hunk.added.trim() === '' || wideOf(hunk.added).length >= wideOf(hunk.removed).length)
        continue;
      found.push({ ...{ line: hunk.line, kind: 'type', text: first }, change: 'removed' });
    }
  return found.sort((a, b) => a.line - b.line);
}

/** Reads of a parameter, or of members of it; no member of the same name. */
function readsOf(name: string, text: string): string[] {
  const own = new RegExp(String.raw`(?<![\w.]|->\s*)${name}(?:\s*\.\s*\w+)*(?!\w)`, 'g');
  return (text.match(own) ?? []).map((read) => read.replaceAll(/\s+/g, ''));
}

/** Whether a line is in a definition of the kernel; any line where none is found. */
function linesOfKernel(code: string, name: string): (line: number) => boolean {
  const closing = closingOf(code);
  const placeOf = placesOf(code);
  const definitions = [...code.matchAll(new RegExp(String.raw`\b${escaped(name)}\s*\(`, 'g'))].flatMap(
    ({ index, 0: { length } }) => {
      const list = closing[index + length - 1] ?? 0;
      const open = list + (/^\s*/.exec(code.slice(list, list + mostSpace))?.[0].length ?? 0);
      // A call, or a declaration, has no block behind its list.
      if (list === 0 || code[open] !== '{') return [];
      return [{ first: placeOf(index).line, last: placeOf(closing[open] || code.length).line }];
    },
  );
  return (line) => definitions.length === 0 || definitions.some(({ first, last }) => line >= first && line <= last);
}

function hunksOf(before: string, after: string): Hunk[] {
  const last = after.replace(/\n$/, '').split('\n').length;
  let removed = '';
  return (differences(before, after) ?? []).flatMap((part, index, parts) => {
    if (part.removed) removed += part.value;
    const isLast = part.added || (part.removed && parts[index + 1]?.added !== true);
    if (!isLast) return [];
    const hunk = { line: Math.min(part.line, last), removed, added: part.added ? part.value : '' };
    removed = '';
    return [hunk];
  });
}
