/** An `if` or a `while` of a source, with the statements that depend on it. */
export interface Conditional {
  /** Text between the parentheses, without spaces and suffixes of numbers. */
  readonly condition: string;
  /** Place at which the condition begins: the compiler gives it to the branch, or to the selection in its place. */
  readonly line: number;
  readonly column: number;
  /** Place of the closing parenthesis. */
  readonly lastLine: number;
  readonly lastColumn: number;
  /** The statement, and that of `else`. */
  readonly bodies: readonly Body[];
}

export interface Body {
  /** Without spaces, braces and suffixes of numbers. */
  readonly text: string;
  readonly first: Place;
  readonly last: Place;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A part of a text, both ends included. */
export type Part = Pick<Body, 'first' | 'last'>;

/** Lines of a part, each with whether a column of it belongs to the part. */
export const linesIn = ({ first, last }: Part): { line: number; has: (column: number) => boolean }[] =>
  Array.from({ length: last.line - first.line + 1 }, (_, index) => {
    const line = first.line + index;
    const [from, to] = [line === first.line ? first.column : 0, line === last.line ? last.column : Infinity];
    return { line, has: (column) => column >= from && column <= to };
  });

/** The condition, in whose place the branch is, or the selection. */
export const conditionOf = ({ line, column, lastLine, lastColumn }: Conditional): Part => ({
  first: { line, column },
  last: { line: lastLine, column: lastColumn },
});

const same = (text: string): string => text.replaceAll(/[\s{}]+/g, '').replaceAll(/(?<=\b\d+)[uUlL]+\b/g, '');

const skipped =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*/gm;

/** Comments, directives and strings as spaces, so that all else stays where it is. */
export const codeOf = (source: string, keepsStrings = false): string =>
  source.replaceAll(skipped, (text) => (keepsStrings && /^["']/.test(text) ? text : text.replaceAll(/[^\n]/g, ' ')));

/** Most text that bodies inside each other may repeat, as a multiple of the source: clang nests 256 brackets at most. */
const mostNested = 256;

/**
 * Every `if` and `while` of a source, found by its parentheses, braces and semicolons. Throws if they are nested deeper
 * than compilers take. Its time grows with the source, whatever that is.
 */
export function conditionalsIn(source: string): Conditional[] {
  const text = codeOf(source);
  const compared = codeOf(source, true);
  const placeOf = placesOf(text);
  const statements = new Statements(text);
  let left = mostNested * text.length;
  return statements.heads.flatMap(({ head, open, close }) => {
    if (close === null || head.startsWith('for')) return [];
    const first = statements.at(close);
    const otherwise = head.startsWith('if') ? statements.otherwise(first.end) : null;
    const spans = otherwise === null ? [first] : [first, otherwise];
    for (const { begin, end } of spans) left -= end - begin;
    const closing = placeOf(close - 1);
    if (left < 0) throw new Error(`the conditions of the source are nested more than ${mostNested} deep`);
    return [
      {
        ...{ condition: same(compared.slice(open + 1, close - 1)), ...placeOf(skipSpaces(text, open + 1)) },
        ...{ lastLine: closing.line, lastColumn: closing.column },
        bodies: spans.map(({ begin, end }) => ({
          ...{ text: same(compared.slice(begin, end)), first: placeOf(begin), last: placeOf(Math.max(begin, end - 1)) },
        })),
      },
    ];
  });
}

/** The place of an offset of the text. */
export function placesOf(text: string): (offset: number) => Place {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

interface Head {
  /** The keyword and what is before its parenthesis. */
  readonly head: string;
  readonly open: number;
  /** Behind the closing parenthesis; null if there is none. */
  readonly close: number | null;
}

/** Statements of a text, each measured once. */
class Statements {
  /** In the order of the text. */
  readonly heads: readonly Head[];
  /** Offset behind the bracket that closes the one here; 0 if none does. */
  private readonly closing: Int32Array;
  /** End of a plain statement from here: behind its semicolon, or before the brace that ends its block. */
  private readonly plainEnd: Int32Array;
  /** Ends of the statements of heads, by the offset of the keyword. */
  private readonly ends = new Map<number, number>();

  constructor(private readonly text: string) {
    this.closing = closingOf(text);
    this.plainEnd = new Int32Array(text.length + 1).fill(text.length);
    for (let at = text.length - 1; at >= 0; at -= 1) {
      const close = this.closing[at] ?? 0;
      const [here, next] = [text[at], this.plainEnd[close > 0 ? close : at + 1] ?? text.length];
      this.plainEnd[at] = here === ';' ? at + 1 : here === '}' ? at : next;
    }
    const found = [...text.matchAll(/\b(?:(?:if|while)(?:\s+constexpr)?|for)\s*(?=\()/g)].map(({ index, 0: head }) => {
      const close = this.closing[index + head.length] ?? 0;
      return { index, head, open: index + head.length, close: close > 0 ? close : null };
    });
    this.heads = found;
    // The statement of a head is behind it, and so is known before.
    for (const { index, head, close } of found.toReversed()) {
      const { end } = this.at(close ?? text.length);
      this.ends.set(index, (head.startsWith('if') ? this.otherwise(end) : null)?.end ?? end);
    }
  }

  /** The statement behind an offset; a nested one ends with its own body. */
  at(from: number): Span {
    const begin = skipSpaces(this.text, from);
    const block = this.text[begin] === '{' ? (this.closing[begin] ?? 0) || this.text.length : undefined;
    return { begin, end: block ?? this.ends.get(begin) ?? this.plainEnd[begin] ?? this.text.length };
  }

  /** The statement of an `else` behind an offset; null without one. */
  otherwise(from: number): Span | null {
    const begin = skipSpaces(this.text, from);
    return /^else\b/.test(this.text.slice(begin, begin + 5)) ? this.at(begin + 4) : null;
  }
}

/** Offset behind the bracket that closes the one at an offset; 0 if none does. */
export function closingOf(text: string): Int32Array {
  const closing = new Int32Array(text.length);
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if ('([{'.includes(text[at] ?? ' ')) open.push(at);
    if (')]}'.includes(text[at] ?? ' ')) closing[open.pop() ?? at] = at + 1;
  }
  return closing;
}
