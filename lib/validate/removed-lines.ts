import { keyOf, type Coverage } from './coverage';
import { doubtsOf } from './doubts';
import type { EditedFile } from './edit';
import { hunksOf } from './new-lines';
import { hasSelection, type RemovedCondition } from './removed-conditions';
import type { EditedLines } from './report-json';

type RemovedLine = NonNullable<EditedLines['removed_lines']>[number];
type Condition = RemovedCondition & { readonly file: string };

/** Lines of the source before the edit that it removed or changed, judged by what the captured code ran of them. */
export interface RemovedLines {
  /** Those of which the captured dispatches show less than all. Changed lines with a doubt of their own are left out. */
  readonly unseen: RemovedLine[];
  /** Whether they show that a removed condition made no difference: it came out both ways, or what it held ran. */
  readonly isSeen: (condition: Condition) => boolean;
}

/** The edit back to the source before, as an edit of the source now: the captured dispatches tell of its lines. */
export function removedLines(files: readonly EditedFile[], now: EditedLines, coverage: Coverage): RemovedLines {
  const named = new Set(keysOf(now));
  const added = new Set(files.flatMap((one) => hunks(one).flatMap((hunk) => hunk.added.map(textIn(one.after)))));
  const back = files.map((one) => ({
    ...{ file: one.file, before: one.after, after: one.before },
    lines: hunks(one).flatMap(({ removed }) => removed),
  }));
  const doubts = doubtsOf(back, coverage);
  const doubted = new Set(keysOf(doubts));
  const known = files.flatMap((one) =>
    hunks(one).flatMap((hunk) =>
      hunk.removed
        .filter(
          (line) =>
            added.has(textIn(one.original)(line)) ||
            hunk.added.some((other) => named.has(keyOf({ file: one.file, line: other }))),
        )
        .map((line) => keyOf({ file: one.file, line })),
    ),
  );
  const skipped = new Set(known);
  const told = new Set<string>();
  const unseen = kinds.flatMap(([kind, seen]) =>
    (doubts[kind] ?? []).flatMap(({ file, line }) => {
      const key = keyOf({ file, line });
      if (skipped.has(key) || told.has(key)) return [];
      told.add(key);
      const original = files.find((one) => one.file === file)?.original ?? '';
      return [{ ...{ file, line, seen }, text: textIn(original)(line) }];
    }),
  );
  return {
    unseen: unseen.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)),
    isSeen: ({ file, before, text }) => {
      const key = keyOf({ file, line: before });
      return !doubted.has(key) && (hasSelection(text) ? coverage.decides : coverage.ran).has(key);
    },
  };
}

const kinds = [
  ['not_run', 'not run'],
  ['partly_run', 'partly run'],
  ['one_sided', 'one side'],
  ['selects', 'not told'],
] as const satisfies readonly (readonly [keyof EditedLines, RemovedLine['seen']])[];

const keysOf = (lines: EditedLines): string[] => kinds.flatMap(([kind]) => (lines[kind] ?? []).map(keyOf));

const hunks = ({ before, after }: EditedFile) => hunksOf(before, after) ?? [];

const textIn = (text: string): ((line: number) => string) => {
  const lines = text.split('\n');
  return (line) => (lines[line - 1] ?? '').trim();
};
