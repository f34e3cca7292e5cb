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

const isIn = (line: number, { first, last }: Body): boolean => line >= first.line && line <= last.line;

/**
 * Conditions and selections that an edit removed and put nothing in their place that selects. If the edit passes, no
 * replay needed them: either they never mattered there, or they are superfluous. Text that is elsewhere now was moved.
 * All that a condition held counts, too. If more lines were put in than other lines taken out, they replace an `if`:
 * the statement stays.
 */
export function removedConditions(before: string, after: string): RemovedCondition[] {
  const [codeBefore, codeAfter] = [codeOf(before, true), codeOf(after, true)];
  const parts = diffLines(codeBefore, codeAfter, { timeout: diffLimitMs, stripTrailingCr: true }) ?? [];
  const linesBefore = before.split('\n');
  const left = new Set(codeAfter.split('\n').map(same));
  const [original, edited] = [conditionalsIn(before), conditionalsIn(after)];
  const conditions = new Set(edited.map(({ condition }) => condition));
  const isEmpty = ({ bodies }: Conditional): boolean => bodies.every(({ text }) => /^;*$/.test(text));
  const empty = new Set(edited.filter(isEmpty).map(({ condition }) => condition));
  const emptied = original.filter((one) => empty.has(one.condition) && !isEmpty(one));
  const last = after.replace(/\n$/, '').split('\n').length;
  const found: RemovedCondition[] = [];
  let [old, now] = [1, 1];
  parts.forEach(({ added, removed, count, value }, index) => {
    if (removed) {
      const next = parts[index + 1];
      const texts = value.split('\n').slice(0, count);
      const replacing = next?.added === true ? codeLines(next.value.split('\n')) : [];
      const others = codeLines(texts).filter((code) => !hasSelection(code));
      const isReplaced = (code: string): boolean =>
        replacing.some(hasSelection) || (/\bif\b/.test(code) && replacing.length > others.length);
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
