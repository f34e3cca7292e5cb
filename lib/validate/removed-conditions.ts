import { diffLines } from 'diff';
import { codeOf, conditionalsIn, type Body, type Conditional } from './conditionals';

/** Time for one file, as for the lines that an edit adds. */
const diffLimitMs = 2000;

export interface RemovedCondition {
  /** Line of the edited text before which, or in place of which, it was. */
  readonly line: number;
  /** The line that was removed. */
  readonly text: string;
}

/** Whether a line may select one of several values: an `if`, `?`, a minimum, a maximum, a clamp, a median. */
const hasSelection = (code: string): boolean =>
  /\bif\b|\?|\b(?!\w*atomic)\w*(?:min|max|clamp|med3)\w*\s*\(/i.test(code);

const same = (code: string): string => code.replaceAll(/[\s{}]+/g, '');

const codeLines = (lines: readonly string[]): string[] => lines.filter((code) => same(code) !== '');

/** Whether its condition, or a statement that depends on it, has code. Column 0 stands for none. */
function hasCodeIn(one: Conditional, columns: (line: number) => ReadonlySet<number> | undefined): boolean {
  const ends = one.bodies.map(({ last }) => last);
  const lastLine = Math.max(one.lastLine, ...ends.map(({ line }) => line));
  const to = Math.max(...ends.filter(({ line }) => line === lastLine).map(({ column }) => column), 0) || Infinity;
  for (let { line } = one; line <= lastLine; line += 1)
    for (const column of columns(line) ?? [])
      if ((line > one.line || column >= one.column) && (line < lastLine || column <= to)) return true;
  return false;
}

const isIn = (line: number, { first, last }: Body): boolean => line >= first.line && line <= last.line;

/**
 * Conditions and selections that an edit removed and put nothing in their place that selects. If the edit passes, no
 * replay needed them: either they never mattered there, or they are superfluous. Text that is elsewhere now was moved.
 * All that a condition held counts, too. If more lines were put in than other lines taken out, they replace an `if`:
 * the statement stays. `columns`: columns of a line of the edited text that have code. A condition without code is none:
 * the compiler found that it never holds, always holds, or changes nothing.
 */
export function removedConditions(
  before: string,
  after: string,
  columns?: (line: number) => ReadonlySet<number> | undefined,
): RemovedCondition[] {
  const [codeBefore, codeAfter] = [codeOf(before, true), codeOf(after, true)];
  const parts = diffLines(codeBefore, codeAfter, { timeout: diffLimitMs, stripTrailingCr: true }) ?? [];
  const linesBefore = before.split('\n');
  const left = new Set(codeAfter.split('\n').map(same));
  const original = conditionalsIn(before);
  const written = conditionalsIn(after);
  const edited = columns === undefined ? written : written.filter((one) => hasCodeIn(one, columns));
  /** A line with an `if` has the code of that: other code in the line replaces no condition. */
  const hasCode = (line: number): boolean => {
    if (columns === undefined) return true;
    const begins = (one: Conditional): boolean => one.line === line;
    return written.some(begins) ? edited.some(begins) : columns(line) !== undefined;
  };
  const conditions = new Set(edited.map(({ condition }) => condition));
  const isEmpty = ({ bodies }: Conditional): boolean => bodies.every(({ text }) => /^;*$/.test(text));
  const empty = new Set(
    written.filter((one) => isEmpty(one) || !edited.includes(one)).map(({ condition }) => condition),
  );
  const emptied = original.filter((one) => empty.has(one.condition) && !isEmpty(one));
  const last = after.replace(/\n$/, '').split('\n').length;
  const found: RemovedCondition[] = [];
  let [old, now] = [1, 1];
  parts.forEach(({ added, removed, count, value }, index) => {
    if (removed) {
      const next = parts[index + 1];
      const texts = value.split('\n').slice(0, count);
      const put = next?.added === true ? next.value.split('\n') : [];
      const replacing = codeLines(put.filter((_, offset) => hasCode(now + offset)));
      const isSelected = put.some((code, offset) => hasSelection(code) && hasCode(now + offset));
      const others = codeLines(texts).filter((code) => !hasSelection(code));
      const isReplaced = (code: string): boolean =>
        isSelected || (/\bif\b/.test(code) && replacing.length > others.length);
      for (const [offset, code] of texts.entries()) {
        const number = old + offset;
        const own = original.filter(({ line }) => line === number);
        const isKept = own.length > 0 && own.every(({ condition }) => conditions.has(condition));
        const isRemoved = hasSelection(code) && !isReplaced(code) && !left.has(same(code)) && !isKept;
        const isHeld = same(code) !== '' && emptied.some(({ bodies }) => bodies.some((body) => isIn(number, body)));
        if (isRemoved || isHeld)
          found.push({ line: Math.min(now, last), text: (linesBefore[number - 1] ?? '').trim() });
      }
    }
    if (!added) old += count;
    if (!removed) now += count;
  });
  return found;
}
