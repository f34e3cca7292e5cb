import { codeOf, conditionalsIn, conditionOf, linesIn, type Conditional, type Part } from './conditionals';
import type { EditedText } from './conditions-of-edit';

/** Instructions of a line of the edited text that ran. */
export interface Executed {
  readonly column: number;
  /** Lanes that executed it, over all waves; those of a whole wave where it is none of single lanes. */
  readonly work: number;
  /** Whether its sides are counted, or it selects without a condition. */
  readonly isCounted: boolean;
}

/**
 * Edited lines whose condition has code, but none that tells how it came out: the compiler has given the comparison to
 * another line, or made the condition of several. It is told all the same if what depends on it ran in fewer lanes.
 */
export function untoldConditions(
  { after, lines }: Pick<EditedText, 'after' | 'lines'>,
  executed: (line: number) => readonly Executed[],
): number[] {
  const edited = new Set(lines);
  const conditionals = conditionalsIn(after).filter((one) => edited.has(one.line));
  const untold = conditionals.filter((one) => isUntold(one, executed)).map(({ line }) => line);
  const code = codeOf(after).split('\n');
  const ternaries = lines.filter((line) => {
    if (!/\?/.test(code[line - 1] ?? '') || conditionals.some((one) => one.line === line)) return false;
    const own = executed(line);
    const works = new Set(own.map(({ work }) => work));
    return works.size === 1 && own.every(({ isCounted }) => !isCounted);
  });
  return [...new Set([...untold, ...ternaries])].sort((a, b) => a - b);
}

function isUntold(one: Conditional, executed: (line: number) => readonly Executed[]): boolean {
  const { line, lastLine } = one;
  const condition = within(conditionOf(one), executed);
  const onLines = Array.from({ length: lastLine - line + 1 }, (_, index) => executed(line + index)).flat();
  if (condition.length === 0 || onLines.some(({ isCounted }) => isCounted)) return false;
  const whole = Math.max(...condition.map(({ work }) => work));
  const bodies = one.bodies.map((body) => within(body, executed).map(({ work }) => work));
  const isPartial = bodies.some((works) => works.some((work) => work < whole));
  return !isPartial && !(bodies.length > 1 && bodies.every((works) => works.some((work) => work > 0)));
}

const within = (part: Part, executed: (line: number) => readonly Executed[]): Executed[] =>
  linesIn(part).flatMap(({ line, has }) => executed(line).filter(({ column }) => has(column)));
