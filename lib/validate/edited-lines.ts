import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diffLines } from 'diff';
import { replayOnce } from '../replay/program';
import type { HotSpotEvent } from '../replay/replay-events';
import type { ReplaySession } from '../replay/session';
import { SourceFiles } from '../replay/source-files';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { variantJsonSchema } from '../reproducer/variant-json';
import type { Deps } from '../deps/deps';
import { withDevice } from '../device/lock';
import { resolveInside, sha256 } from '../support/files';
import { throwIfInterrupted } from '../support/interrupted';
import { readRegularFile } from '../support/regular-file';
import { formatCount } from '../support/report';
import { readJson } from '../support/schema';
import { readLineTable, type SourceLine } from '../toolchain/line-table';
import { asKernloopError } from '../support/error';
import type { EditedLines, Verdict } from './report-json';

/** Time for one file; a file that takes longer is no edit that a person made. */
const diffLimitMs = 2000;

/** Verdicts after which the kernel ends when it is replayed once more. */
const ending: readonly Verdict[] = ['pass', 'fail', 'vacuous'];

/**
 * Replays each dispatch once more, counts instructions by line, and tells which edited lines ran. The verdict stands
 * before: no failure here changes it. Undefined where nothing can be told: without line information, for a code object
 * that is not recompile's, and on devices that count no instructions.
 */
export async function editedLines(
  sessions: readonly ReplaySession[],
  verdict: Verdict,
  deps: Deps,
): Promise<EditedLines | undefined> {
  const [first] = sessions;
  if (!first || first.device.work !== 'wave_instructions' || !ending.includes(verdict)) return undefined;
  const { code, reproducer } = first;
  const { language, device } = reproducer.config;
  if (code.kind !== 'variant' || language === 'none') return undefined;
  if (code.path !== reproducerPaths(reproducer.root).variant(language, device.kind)) return undefined;
  try {
    return await linesThatRan(sessions, first, code.path, deps);
  } catch (error) {
    throwIfInterrupted(deps.signal);
    deps.report.info(`which edited lines ran is not known: ${asKernloopError(error).what}`);
    return undefined;
  }
}

async function linesThatRan(
  sessions: readonly ReplaySession[],
  { reproducer, device }: ReplaySession,
  codeObject: string,
  deps: Deps,
): Promise<EditedLines | undefined> {
  const bytes = readRegularFile(codeObject);
  const table = readLineTable(bytes);
  if (table === null) return undefined;
  const edited = linesOfEdit(reproducer);
  if (edited === null || edited.length === 0) return undefined;
  const events = await withDevice(device, deps, () => counted(sessions, deps));
  const digest = sha256(bytes);
  const own = events.filter((event) => event.code_object === digest && hasRun(event));
  if (own.length === 0) return undefined;
  const ran = own.flatMap(({ offset }) => (offset === undefined ? [] : (table.at(Number(offset)) ?? [])));
  const sources = new SourceFiles(reproducer);
  const told = (line: SourceLine): string => keyOf({ ...line, file: sources.shown(line.file) });
  return sortEdit(edited, new Set([...table.lines()].map(told)), new Set(ran.map(told)));
}

/** The compiler leaves out the jump around a short branch: its vector instructions are then executed by no lane. */
export const hasRun = ({ vector, lanes }: HotSpotEvent): boolean =>
  vector !== true || (typeof lanes === 'number' && lanes > 0);

async function counted(sessions: readonly ReplaySession[], deps: Deps): Promise<HotSpotEvent[]> {
  const events: HotSpotEvent[] = [];
  for (const { request, device } of sessions) {
    const { result, hotSpots } = await replayOnce({ ...request, iterations: 1, seed: 1, profile: true }, device, deps);
    if (result.verdict !== 'ran') throw new Error(`a replay that counts ended with ${result.verdict}`);
    events.push(...hotSpots);
  }
  return events;
}

const keyOf = ({ file, line }: SourceLine): string => `${file}:${line}`;

/** Lines that were added or changed since extraction, in the files that the compiler read; null if that is not known. */
function linesOfEdit({ root }: Reproducer): SourceLine[] | null {
  const { pristine, variantJson } = reproducerPaths(root);
  const { sources } = readJson(variantJson, variantJsonSchema, 'VARIANT_MISSING', 'run `kernloop recompile`');
  const edited: SourceLine[] = [];
  for (const [file, digest] of Object.entries(sources)) {
    const before = join(pristine, file);
    const after = readRegularFile(resolveInside(root, file, 'build/variant.json: sources'), 'utf8');
    if (sha256(after) !== digest) return null;
    const text = existsSync(before) ? readRegularFile(before, 'utf8') : '';
    if (text === after) continue;
    if (hasOtherLines(after))
      throw new Error(`${file} has #line, or carriage returns alone: the compiler counts its lines otherwise`);
    const lines = newLines(text, after);
    if (lines === null) return null;
    edited.push(...lines.map((line) => ({ file, line })));
  }
  return edited;
}

/** Whether the compiler counts lines otherwise than an editor: `#line`, and carriage returns alone. */
export const hasOtherLines = (text: string): boolean => /^[ \t]*#[ \t]*(?:line\b|\d)|\r(?!\n)/m.test(text);

/** Numbers of the lines of `after` that `before` lacks; null if that takes too long to find out. */
export function newLines(before: string, after: string): number[] | null {
  if (before === after) return [];
  const parts = diffLines(before, after, { timeout: diffLimitMs, stripTrailingCr: true });
  if (parts === undefined) return null;
  const found: number[] = [];
  let line = 1;
  for (const { added, removed, count } of parts) {
    if (removed) continue;
    if (added) for (let index = 0; index < count; index += 1) found.push(line + index);
    line += count;
  }
  return found;
}

/** `withCode` and `ran`: lines as `file:line` that have instructions, and of which an instruction was executed. */
export function sortEdit(
  edited: readonly SourceLine[],
  withCode: ReadonlySet<string>,
  ran: ReadonlySet<string>,
): EditedLines {
  const own = edited.filter((line) => withCode.has(keyOf(line)));
  return {
    edited: edited.length,
    without_code: edited.length - own.length,
    not_run: own.filter((line) => !ran.has(keyOf(line))).map(({ file, line }) => ({ file, line })),
  };
}

const shownLines = 5;

/** Nothing where an instruction of every line ran. */
export function editedLineWords(lines: EditedLines | undefined): string[] {
  if (!lines || lines.not_run.length === 0) return [];
  const { edited, without_code: without, not_run: idle } = lines;
  const places = idle.slice(0, shownLines).map(keyOf).join(', ');
  const more = idle.length > shownLines ? `, and ${formatCount(idle.length - shownLines)} more` : '';
  const others = without > 0 ? `; ${formatCount(without)} have no code of their own` : '';
  return [
    `no instruction of ${formatCount(idle.length)} of ${formatCount(edited)} edited lines ran: ${places}${more}${others}`,
  ];
}
