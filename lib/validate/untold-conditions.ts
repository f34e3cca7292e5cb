import {
  closingOf,
  codeOf,
  conditionalsIn,
  conditionOf,
  linesIn,
  placesOf,
  type Conditional,
  type Part,
} from './conditionals';
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
 * another line, or made the condition of several. It is told all the same if what depends on it ran in fewer lanes. The
 * comparisons of a `switch` often have no line at all.
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
  const isRun = linesBeside(code.join('\n'), executed);
  const cases = lines.filter(
    (line) =>
      /\bswitch\s*\(|\bcase\b|\bdefault\s*:/.test(code[line - 1] ?? '') && executed(line).length === 0 && isRun(line),
  );
  return [...new Set([...untold, ...ternaries, ...cases])].sort((a, b) => a - b);
}

/** Whether another line of the outermost block around a line ran: the block is none of the host's. */
function linesBeside(code: string, executed: (line: number) => readonly Executed[]): (line: number) => boolean {
  const closing = closingOf(code);
  const placeOf = placesOf(code);
  const blocks: Part[] = [];
  for (let at = code.indexOf('{'); at >= 0; at = code.indexOf('{', closing[at] || at + 1))
    blocks.push({ first: placeOf(at), last: placeOf((closing[at] || code.length) - 1) });
  return (line) =>
    blocks.some((one) => line >= one.first.line && line <= one.last.line && within(one, executed).length > 0);
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
