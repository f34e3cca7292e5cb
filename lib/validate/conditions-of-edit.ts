import { codeOf, conditionalsIn, linesIn, type Body, type Conditional } from './conditionals';
import { hunksOf } from './new-lines';

/** A file that was edited since extraction, and the numbers of its lines that were added or changed. */
export interface EditedText {
  readonly before: string;
  readonly after: string;
  readonly lines: readonly number[];
}

/** Columns of a line of the edited text at which a replay saw the kind of instruction. */
export interface SeenColumns {
  readonly withCode: (line: number) => ReadonlySet<number> | undefined;
  readonly ran: (line: number) => ReadonlySet<number> | undefined;
  /** A condition or a selection that always came out the same. */
  readonly oneSided: (line: number) => ReadonlySet<number> | undefined;
  /** A selection that always came out the same. */
  readonly oneSidedSelections: (line: number) => ReadonlySet<number> | undefined;
  /** A selection without a condition, such as a minimum. */
  readonly selects: (line: number) => ReadonlySet<number> | undefined;
}

interface UnderCondition {
  readonly line: number;
  readonly condition_line: number;
}

/** Statements of an edit that depend on a condition which the edit kept. */
export interface ConditionsOfEdit {
  /** Edited lines whose condition is as it was, and whose statements are too, or ran. */
  readonly seen: ReadonlySet<number>;
  /** Edited lines under a condition of an unedited line, whose statements no replay told from the others. */
  readonly oneSided: readonly UnderCondition[];
  readonly selects: readonly UnderCondition[];
}

/**
 * The compiler makes a selection of an `if` around a short statement, gives it the line of the `if`, and executes the
 * statement in every lane, or gives it no code: only the sides of the selection tell whether its value was taken.
 */
export function conditionsOfEdit({ before, after, lines }: EditedText, seen: SeenColumns): ConditionsOfEdit {
  const edited = new Set(lines);
  const original = conditionalsIn(before);
  const code = codeOf(after, true).split('\n');
  const hunks = hunksOf(before, after) ?? [];
  /** A condition that one change removed and another one put back was moved: it is not the same any more. */
  const isHere = (one: Conditional, other: Conditional): boolean =>
    hunks.some(
      ({ removed, added }) =>
        linesOf(one).some((line) => added.includes(line)) && linesOf(other).some((line) => removed.includes(line)),
    );
  const kept = new Set<number>();
  const doubted = new Set<number>();
  const oneSided = new Map<number, number>();
  const selects = new Map<number, number>();
  for (const one of conditionalsIn(after)) {
    const own = linesOf(one);
    const selection = own.some((line) => seen.oneSidedSelections(line) !== undefined);
    if (own.some((line) => edited.has(line))) {
      const matches = original.filter((other) => other.condition === one.condition && isHere(one, other));
      const changed = one.bodies.filter(
        ({ text }) => !matches.some(({ bodies }) => bodies.some((b) => b.text === text)),
      );
      const isSeen = matches.length > 0 && changed.every((body) => !selection && hasRunIn(body, seen));
      for (const line of own) (isSeen ? kept : doubted).add(line);
      continue;
    }
    const decided = own.some((line) => seen.oneSided(line) !== undefined);
    for (const body of one.bodies)
      for (const line of lines.filter((line) => line >= body.first.line && line <= body.last.line)) {
        if (!/[^\s{}]/.test(code[line - 1] ?? '')) continue;
        const isUnseen = decided && seen.withCode(line) === undefined && !hasRunIn(body, seen);
        if (selection || isUnseen) oneSided.set(line, one.line);
        else if (seen.selects(one.line)?.has(one.column) === true) selects.set(line, one.line);
      }
  }
  const under = (map: ReadonlyMap<number, number>): UnderCondition[] =>
    [...map].map(([line, condition]) => ({ line, condition_line: condition })).sort((a, b) => a.line - b.line);
  return {
    seen: new Set([...kept].filter((line) => !doubted.has(line))),
    oneSided: under(oneSided),
    selects: under(selects),
  };
}

const linesOf = ({ line, lastLine }: Conditional): number[] =>
  Array.from({ length: lastLine - line + 1 }, (_, index) => line + index);

const hasRunIn = (body: Body, { ran }: Pick<SeenColumns, 'ran'>): boolean =>
  linesIn(body).some(({ line, has }) => [...(ran(line) ?? [])].some(has));
