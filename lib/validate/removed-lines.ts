import { codeOf } from './conditionals';
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

/**
 * The edit back to the source before, as an edit of the source now: the captured dispatches tell of its lines. `doubts`:
 * those of the edit itself, by `code`, the code that it has.
 */
export function removedLines(
  files: readonly EditedFile[],
  doubts: EditedLines,
  code: Pick<Coverage, 'withCode'>,
  coverage: Coverage,
): RemovedLines {
  const named = new Set(keysOf(doubts));
  const back = files.map((one) => ({
    ...{ file: one.file, before: one.after, after: one.before },
    lines: hunks(one).flatMap(({ removed }) => removed),
  }));
  const before = doubtsOf(back, coverage);
  const found = new Map<string, RemovedLine['seen']>();
  for (const [kind, seen] of kinds)
    for (const line of before[kind] ?? []) if (!found.has(keyOf(line))) found.set(keyOf(line), seen);
  for (const { file, after, lines } of back)
    for (const line of lines) {
      const seen = jumpAt(after, line, (own) => sideOf(keyOf({ file, line: own }), coverage));
      if (seen !== null) found.set(keyOf({ file, line }), seen);
    }
  for (const one of files)
    for (const { removed, added } of hunks(one)) {
      const now = callsIn(added.map(textIn(one.after)).join('\n'));
      for (const line of removed) {
        const key = keyOf({ file: one.file, line });
        const gone = [...callsIn(textIn(one.original)(line))].filter((name) => !now.has(name));
        if (gone.length > 0 && !found.has(key) && coverage.doubtedCalls.has(key)) found.set(key, 'not told');
      }
    }
  const unseen = files.flatMap((one) => {
    const put = putBack(one);
    return hunks(one).flatMap((hunk) =>
      hunk.removed.flatMap((line) => {
        const place = { file: one.file, line };
        const seen = found.get(keyOf(place));
        const text = textIn(one.original)(line);
        const keyNow = (other: number): string => keyOf({ file: one.file, line: other });
        const moved = put.get(text) ?? [];
        if (seen === undefined || [...hunk.added, ...moved].some((other) => named.has(keyNow(other)))) return [];
        // Its condition may matter at one of the two places alone; the compiler found that it does not where it has no code.
        const isSame = seen !== 'one side' && moved.some((other) => code.withCode.has(keyNow(other)));
        return isSame ? [] : [{ ...place, seen, text, ...(moved.length > 0 ? { moved: true as const } : {}) }];
      }),
    );
  });
  return {
    unseen,
    isSeen: ({ file, before, text }) => {
      const key = keyOf({ file, line: before });
      // That a loop ended says nothing of how often it ran.
      if (/\b(?:while|for|do)\b/.test(text)) return false;
      return !found.has(key) && (hasSelection(text) ? coverage.decides : coverage.ran).has(key);
    },
  };
}

/** Lines of the edited text that have the text of a removed line, by that. */
function putBack(one: EditedFile): ReadonlyMap<string, readonly number[]> {
  const lines = hunks(one).flatMap(({ added }) => added);
  const removed = new Set(hunks(one).flatMap((hunk) => hunk.removed.map(textIn(one.original))));
  const texts = lines.map((line) => [textIn(one.after)(line), line] as const).filter(([text]) => removed.has(text));
  return new Map(texts.map(([text]) => [text, texts.flatMap(([other, line]) => (other === text ? [line] : []))]));
}

/** Names before parentheses. */
const callsIn = (text: string): ReadonlySet<string> =>
  new Set([...codeOf(text).matchAll(/\b(\w+)\s*(?:<[^<>;]*>\s*)?\(/g)].flatMap(([, name]) => name ?? []));

type Side = 'none' | 'idle' | 'ran' | 'decided' | 'one side';

function sideOf(key: string, { withCode, ran, decides, oneSided }: Coverage): Side {
  if (!withCode.has(key)) return 'none';
  if (!ran.has(key)) return 'idle';
  if (oneSided.has(key)) return 'one side';
  return decides.has(key) ? 'decided' : 'ran';
}

/**
 * A jump alone in its line has no code: it ran if the statement before it did, or the condition that it depends on held
 * somewhere. Null for other lines, and for jumps that ran.
 */
function jumpAt(text: string, line: number, side: (line: number) => Side): RemovedLine['seen'] | null {
  const code = codeOf(text).split('\n');
  const isJump = /^\s*(?:break|continue|return|goto\s+\w+)\s*;\s*}?\s*$/.test(code[line - 1] ?? '');
  if (!isJump || side(line) !== 'none') return null;
  for (let before = line - 1; before > 0; before -= 1) {
    const own = side(before);
    const isHead = /\b(?:if|else|for|while|do|case|default)\b/.test(code[before - 1] ?? '');
    if (own === 'idle') return 'not run';
    if (isHead) return own === 'decided' ? null : own === 'one side' ? own : 'not told';
    if (own !== 'none') return null;
  }
  return null;
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
