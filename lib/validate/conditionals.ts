/** An `if` or a `while` of a source, with the statements that depend on it. */
export interface Conditional {
  /** Text between the parentheses, without spaces and suffixes of numbers. */
  readonly condition: string;
  /** Place at which the condition begins: the compiler gives it to the branch, or to the selection in its place. */
  readonly line: number;
  readonly column: number;
  /** Line of the closing parenthesis. */
  readonly lastLine: number;
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

const same = (text: string): string => text.replaceAll(/[\s{}]+/g, '').replaceAll(/(?<=\b\d+)[uUlL]+\b/g, '');

const skipped =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*/gm;

/** Comments, directives and strings as spaces, so that all else stays where it is. */
export const codeOf = (source: string, keepsStrings = false): string =>
  source.replaceAll(skipped, (text) => (keepsStrings && /^["']/.test(text) ? text : text.replaceAll(/[^\n]/g, ' ')));

/** Every `if` and `while` of a source, found by its parentheses, braces and semicolons. */
export function conditionalsIn(source: string): Conditional[] {
  const text = codeOf(source);
  const compared = codeOf(source, true);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const placeOf = (offset: number): Place => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
  return [...text.matchAll(/\b(?:if|while)(?:\s+constexpr)?\s*(?=\()/g)].flatMap(({ index, 0: head }) => {
    const open = index + head.length;
    const close = endOfGroup(text, open);
    if (close === null) return [];
    const spans = [statementAt(text, close)];
    const otherwise = /^\s*else\b/.exec(text.slice(spans[0]?.[1], (spans[0]?.[1] ?? 0) + 1000));
    if (otherwise !== null && spans[0]) spans.push(statementAt(text, spans[0][1] + otherwise[0].length));
    const begins = placeOf(skipSpaces(text, open + 1));
    return [
      {
        ...{ condition: same(compared.slice(open + 1, close - 1)), ...begins, lastLine: placeOf(close - 1).line },
        bodies: spans.map(([from, to]) => ({
          ...{ text: same(compared.slice(from, to)), first: placeOf(from), last: placeOf(Math.max(from, to - 1)) },
        })),
      },
    ];
  });
}

const skipSpaces = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
};

/** Offset behind the bracket that closes the one at `open`. */
function endOfGroup(text: string, open: number): number | null {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if ('([{'.includes(text[at] ?? ' ')) depth += 1;
    if (')]}'.includes(text[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

/** Begin and end of the statement behind `from`; a nested one ends with its own body. */
function statementAt(text: string, from: number): [number, number] {
  const begin = skipSpaces(text, from);
  if (text[begin] === '{') return [begin, endOfGroup(text, begin) ?? text.length];
  const nested = /^(?:(?:if|while)(?:\s+constexpr)?|for)\s*(?=\()/.exec(text.slice(begin, begin + 1000));
  if (nested !== null) {
    const close = endOfGroup(text, begin + nested[0].length) ?? text.length;
    const [, end] = statementAt(text, close);
    const otherwise = nested[0].startsWith('if') ? /^\s*else\b/.exec(text.slice(end, end + 1000)) : null;
    return [begin, otherwise === null ? end : statementAt(text, end + otherwise[0].length)[1]];
  }
  for (let at = begin; at < text.length; at += 1) {
    if (text[at] === ';') return [begin, at + 1];
    if (text[at] === '}') return [begin, at];
    if ('([{'.includes(text[at] ?? ' ')) at = (endOfGroup(text, at) ?? text.length) - 1;
  }
  return [begin, text.length];
}
