import type { SourceLine } from '../toolchain/line-table';
import { codeOf } from './conditionals';
import { conditionsOfEdit } from './conditions-of-edit';
import { keyOf, type Columns, type Coverage } from './coverage';
import type { EditedFile } from './edit';
import type { EditedLines } from './report-json';
import { untoldConditions, type Executed } from './untold-conditions';

/** Edited lines of which the replays behind `coverage` show less than all. */
export function doubtsOf(files: readonly Omit<EditedFile, 'original'>[], coverage: Coverage): EditedLines {
  const lines = files.flatMap((one) => one.lines.map((line) => ({ file: one.file, line })));
  const codes = new Map(files.map(({ file, after }) => [file, codeOf(after).split('\n')]));
  const mayBranch = ({ file, line }: SourceLine): boolean => branching.test(codes.get(file)?.[line - 1] ?? '');
  return withUntold(
    withKeptConditions(sortEdit(lines, coverage, mayBranch), files, coverage),
    files,
    coverage.executed,
  );
}

/**
 * A part of a line runs without the rest only if the line has one of these; macros may hold them. Idle code in all other
 * lines is a copy that the compiler made, as of a loop that it unrolled.
 */
const branching = /\?|&&|\|\||\b(?:if|else|for|while|do|case|switch|default)\b|\b[A-Z][A-Z0-9_]+\s*\(/;

/** Adds the edited conditions of which no instruction tells how they came out. */
function withUntold(
  lines: EditedLines,
  files: readonly Omit<EditedFile, 'original'>[],
  executed: ReadonlyMap<string, readonly Executed[]>,
): EditedLines {
  const { not_run: idle, partly_run: partly = [], one_sided: oneSided = [], selects = [] } = lines;
  const named = new Set([...idle, ...partly, ...oneSided, ...selects].map(keyOf));
  const untold = files
    .flatMap((edit) =>
      untoldConditions(edit, (line) => executed.get(keyOf({ file: edit.file, line })) ?? []).map((line) => ({
        ...{ file: edit.file, line },
      })),
    )
    .filter((line) => !named.has(keyOf(line)));
  return untold.length === 0 ? lines : { ...lines, selects: [...selects, ...untold] };
}

/** Leaves out conditions that the edit kept together with what they hold, and adds lines that depend on kept ones. */
export function withKeptConditions(
  lines: EditedLines,
  files: readonly Omit<EditedFile, 'original'>[],
  seen: Omit<Coverage, 'executed' | 'decides' | 'doubtedCalls'>,
): EditedLines {
  const all = files.map((edit) => {
    const of = (columns: Columns) => (line: number) => columns.get(keyOf({ file: edit.file, line }));
    return {
      file: edit.file,
      ...conditionsOfEdit(edit, {
        ...{ withCode: of(seen.withCode), ran: of(seen.ran), selects: of(seen.selects) },
        ...{ oneSided: of(seen.oneSided), oneSidedSelections: of(seen.oneSidedSelections) },
      }),
    };
  });
  const { one_sided: oneSided = [], selects = [], partly_run: partly = [] } = lines;
  const isKept = ({ file, line }: SourceLine): boolean => all.some((one) => one.file === file && one.seen.has(line));
  const isDivision = ({ file, line }: SourceLine): boolean =>
    files.some((one) => one.file === file && isPlainDivision(codeOf(one.after).split('\n')[line - 1] ?? ''));
  const own = oneSided.filter((line) => !isKept(line) && !isDivision(line));
  const named = new Set([...own, ...partly, ...lines.not_run].map(keyOf));
  const under = (kind: 'oneSided' | 'selects', besides: ReadonlySet<string>): Conditioned[] =>
    all
      .flatMap(({ file, [kind]: found }) => found.map((one) => ({ file, ...one })))
      .filter((line) => !besides.has(keyOf(line)));
  return {
    ...lines,
    one_sided: [...own, ...under('oneSided', named)],
    selects: [...selects, ...under('selects', new Set([...named, ...selects.map(keyOf)]))],
  };
}

/** The compiler makes selections of a division, and of a remainder; the source has none there. */
export const isPlainDivision = (code: string): boolean =>
  /[%/]/.test(code) && !/[<>=!]=|[<>?]|&&|\|\||\w\s*\(/.test(code);

type Conditioned = SourceLine & { readonly condition_line: number };

type Seen = Pick<Coverage, 'withCode' | 'ran' | 'selects' | 'oneSided'>;

/** `mayBranch`: whether a part of a line may run without the rest. */
export function sortEdit(
  edited: readonly SourceLine[],
  { withCode, ran, selects, oneSided }: Seen,
  mayBranch: (line: SourceLine) => boolean = () => true,
): EditedLines {
  const own = edited.filter((line) => withCode.has(keyOf(line)));
  const partly = own.filter(mayBranch).flatMap(({ file, line }) => {
    const known = ran.get(keyOf({ file, line }));
    const idle = [...(withCode.get(keyOf({ file, line })) ?? [])].filter((column) => known?.has(column) === false);
    // Column 0 stands for none.
    const places = idle.filter((column) => column > 0);
    return places.length > 0 ? [{ file, line, column: Math.min(...places) }] : [];
  });
  const named = new Set(partly.map(keyOf));
  const lines = (kept: (key: string) => boolean): SourceLine[] =>
    own.filter((line) => kept(keyOf(line))).map(({ file, line }) => ({ file, line }));
  return {
    edited: edited.length,
    without_code: edited.length - own.length,
    not_run: lines((key) => !ran.has(key)),
    partly_run: partly,
    selects: lines((key) => selects.has(key) && !named.has(key)),
    one_sided: lines((key) => oneSided.has(key) && !named.has(key)),
  };
}
