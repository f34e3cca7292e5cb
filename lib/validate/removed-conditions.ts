import { codeOf, conditionalsIn, conditionOf, linesIn, type Body, type Conditional, type Part } from './conditionals';
import { differences, newLines } from './new-lines';

export interface RemovedCondition {
  /** Line of the edited text before which, or in place of which, it was. */
  readonly line: number;
  /** Line of the text before. */
  readonly before: number;
  /** The line that was removed. */
  readonly text: string;
}

/** Whether a line may select one of several values: an `if`, `?`, a loop, a case, a minimum, a maximum, a clamp. */
export const hasSelection = (code: string): boolean =>
  /\b(?:if|while|case)\b|\bdefault\s*:|\?|\b(?!\w*atomic)\w*(?:min|max|clamp|med3)\w*\s*\(/i.test(code);

const isLoop = (code: string): boolean => /\b(?:while|for)\b/.test(code);
const isCase = (code: string): boolean => /\bcase\b|\bdefault\s*:/.test(code);

const same = (code: string): string => code.replaceAll(/[\s{}]+/g, '');

const isSameText = (one: Conditional, other: Conditional): boolean =>
  one.condition === other.condition &&
  one.bodies.map(({ text }) => text).join('\0') === other.bodies.map(({ text }) => text).join('\0');

/** Whether there is code in a part of the text. */
const hasCodeIn = (part: Part, columns: (line: number) => ReadonlySet<number> | undefined): boolean =>
  linesIn(part).some(({ line, has }) => [...(columns(line) ?? [])].some(has));

const isIn = (line: number, { first, last }: Body): boolean => line >= first.line && line <= last.line;

/**
 * Conditions and selections that an edit removed and put nothing in their place that selects. If the edit passes, their
 * absence made no difference: either they never mattered there, or they are superfluous. Text that is elsewhere now was moved.
 * All that a condition held counts, too. `columns`: columns of a line of the edited text that have code. A condition
 * without code is none: the compiler found that it never holds, always holds, or changes nothing. `shown`: the text
 * before as it was written.
 */
export function removedConditions(
  before: string,
  after: string,
  columns?: (line: number) => ReadonlySet<number> | undefined,
  shown = before,
): RemovedCondition[] {
  const [codeBefore, codeAfter] = [codeOf(before, true), codeOf(after, true)];
  const parts = differences(codeBefore, codeAfter) ?? [];
  const linesBefore = shown.split('\n');
  const original = conditionalsIn(before);
  const written = conditionalsIn(after);
  const put = new Set(newLines(codeBefore, codeAfter));
  const known = new Set(original.map(({ condition }) => condition));
  // Two that are the same may be one in the code, which has the place of the other.
  const isCompiled = (one: Conditional): boolean =>
    columns === undefined ||
    !put.has(one.line) ||
    hasCodeIn(conditionOf(one), columns) ||
    (known.has(one.condition) && one.bodies.some((body) => hasCodeIn(body, columns))) ||
    original.some((other) => isSameText(one, other));
  const edited = written.filter(isCompiled);
  /** A line with an `if` has the code of its condition: other code in the line replaces none. */
  const selects = (code: string, line: number): boolean => {
    if (!hasSelection(code) && !isLoop(code)) return false;
    // The code of a case has the line of its switch, or none.
    if (isCase(code)) return true;
    if (columns === undefined) return true;
    const begins = (one: Conditional): boolean => one.line === line;
    return written.some(begins) ? edited.some(begins) : columns(line) !== undefined;
  };
  const lines = fewer(codeBefore.split('\n').map(same), codeAfter.split('\n').map(same));
  const conditions = fewer(
    original.map(({ condition }) => condition),
    edited.map(({ condition }) => condition),
  );
  const isEmpty = ({ bodies }: Conditional): boolean => bodies.every(({ text }) => /^;*$/.test(text));
  const isFolded = (one: Conditional): boolean =>
    columns !== undefined &&
    !original.some((other) => isSameText(one, other)) &&
    ![conditionOf(one), ...one.bodies].some((part) => hasCodeIn(part, columns));
  const empty = new Set(written.filter((one) => isEmpty(one) || isFolded(one)).map(({ condition }) => condition));
  const emptied = original.filter((one) => empty.has(one.condition) && !isEmpty(one));
  const last = after.replace(/\n$/, '').split('\n').length;
  const lineBefore = (number: number): string => (linesBefore[number - 1] ?? '').trim();
  const [had, left] = [same(codeBefore), same(codeAfter)];
  /** The condition alone if what depended on it is still there. */
  const textOf = (number: number, [only, ...others]: readonly Conditional[]): string => {
    const isLeft = only?.bodies.every(({ text }) => text !== '' && times(text, left) >= times(text, had)) === true;
    if (only === undefined || others.length > 0 || !isLeft || only.lastLine !== number) return lineBefore(number);
    const head = (linesBefore[number - 1] ?? '').slice(0, only.lastColumn);
    return head.slice(Math.max(head.search(/\b(?:if|while)\b/), 0)).trim();
  };
  const found: RemovedCondition[] = [];
  let old = 1;
  parts.forEach(({ added, removed, count, value, line: now }, index) => {
    if (removed) {
      const next = parts[index + 1];
      const texts = next?.added === true ? next.value.split('\n') : [];
      const gone = value.split('\n').slice(0, count);
      const put = texts.filter((code, offset) => selects(code, now + offset));
      const lost = gone.filter((code) => hasSelection(code) && lines.has(same(code)));
      // An `if` in the place of a loop takes what the loop took once.
      const unlike = new Set([
        ...leastAlike(lost.filter(isLoop), put.filter(isLoop)),
        ...leastAlike(
          lost.filter((code) => !isLoop(code)),
          put,
        ),
      ]);
      for (const [offset, code] of gone.entries()) {
        const number = old + offset;
        const own = original.filter(({ line }) => line === number);
        const isKept = !isLoop(code) && own.length > 0 && own.every(({ condition }) => !conditions.has(condition));
        const isRemoved = unlike.has(code) && !isKept;
        const isHeld = same(code) !== '' && emptied.some(({ bodies }) => bodies.some((body) => isIn(number, body)));
        if (isRemoved || isHeld)
          found.push({
            ...{ line: Math.min(now, last), before: number },
            text: isRemoved ? textOf(number, own) : lineBefore(number),
          });
      }
    }
    if (!added) old += count;
  });
  return found;
}

/** The removed lines that no other one replaces: those with the fewest words of the others, as many as are too many. */
function leastAlike(gone: readonly string[], put: readonly string[]): ReadonlySet<string> {
  const wordsOf = (text: string): string[] => text.match(/\w+|[<>=!]+/g) ?? [];
  const known = new Set(put.flatMap(wordsOf));
  const shareOf = (text: string): number => {
    const words = wordsOf(text);
    return words.filter((word) => known.has(word)).length / Math.max(words.length, 1);
  };
  const byShare = gone.toSorted((a, b) => shareOf(a) - shareOf(b));
  return new Set(byShare.slice(0, Math.max(gone.length - put.length, 0)));
}

const times = (text: string, inText: string): number => inText.split(text).length - 1;

/** Texts that are less often in the second list. */
function fewer(before: readonly string[], after: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of before) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of after) counts.set(text, (counts.get(text) ?? 0) - 1);
  return new Set([...counts].filter(([, count]) => count > 0).map(([text]) => text));
}
