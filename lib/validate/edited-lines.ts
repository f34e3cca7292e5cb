import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readCapturedCode } from '../archive/captured-code';
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
import { readJson } from '../support/schema';
import { parseDemangledName } from '../source/demangled-name';
import { placesAt, readInlinedCalls } from '../toolchain/inlined-calls';
import { isSameKernelCode, kernelRanges } from '../toolchain/hsaco-code';
import { readLineTable, type SourceLine, type SourcePlace } from '../toolchain/line-table';
import { asKernloopError } from '../support/error';
import { codeOf } from './conditionals';
import { conditionsOfEdit } from './conditions-of-edit';
import { replayGuarded } from './outside-arrays';
import { untoldConditions, type Executed } from './untold-conditions';
import { removedConditions } from './removed-conditions';
import { withChangedConstants } from './changed-constants';
import { compiledText } from './compiled-text';
import { narrowedInputs } from './narrowed-inputs';
import { changesIn, newLines } from './new-lines';
import type { EditedLines, OutsideAccess, Report, Verdict } from './report-json';

/** Verdicts after which the kernel ends when it is replayed once more. */
const ending: readonly Verdict[] = ['pass', 'fail', 'vacuous'];

type Judged = Pick<Report, 'verdict' | 'dispatches'>;

/**
 * Replays each dispatch once more, counts instructions by line, and tells which edited lines ran. The verdict stands
 * before: no failure here changes it. Undefined where nothing can be told: without line information, for a code object
 * that is not recompile's, and on devices that count no instructions.
 */
export async function editedLines(
  sessions: readonly ReplaySession[],
  judged: Judged,
  deps: Deps,
): Promise<EditedLines | undefined> {
  const [first] = sessions;
  if (!first || first.device.work !== 'wave_instructions' || !ending.includes(judged.verdict)) return undefined;
  const { code, reproducer } = first;
  const { language, device } = reproducer.config;
  if (code.kind !== 'variant' || language === 'none') return undefined;
  if (code.path !== reproducerPaths(reproducer.root).variant(language, device.kind)) return undefined;
  try {
    return await linesThatRan(sessions, first, code.path, judged, deps);
  } catch (error) {
    throwIfInterrupted(deps.signal);
    deps.report.info(
      `the verdict is of the results; which edited lines ran was not counted: ${asKernloopError(error).what}`,
    );
    return undefined;
  }
}

async function linesThatRan(
  sessions: readonly ReplaySession[],
  first: ReplaySession,
  codeObject: string,
  judged: Judged,
  deps: Deps,
): Promise<EditedLines | undefined> {
  const { reproducer, device } = first;
  const { verdict } = judged;
  const bytes = readRegularFile(codeObject);
  const files = filesOfEdit(reproducer);
  const edited = files?.flatMap(({ file, after, lines }) => {
    if (hasOtherLines(after))
      throw new Error(`${file} has #line, or carriage returns alone: the compiler counts its lines otherwise`);
    return lines.map((line) => ({ file, line }));
  });
  const kernel = {
    name: parseDemangledName(first.capture.kernel.name).base,
    scalars: unvariedScalars(sessions, judged),
  };
  const removedOf = ({ file, original, before, after }: EditedFile, codeOf?: Parameters<typeof removedConditions>[2]) =>
    removedConditions(before, after, codeOf, original).map((one) => ({ file, ...one }));
  const narrowedOf = ({ file, before, after }: EditedFile) =>
    narrowedInputs(before, after, kernel).map((one) => ({ file, ...one }));
  if (files === null || edited === undefined || files.length === 0) return undefined;
  if (await hasCapturedCode(sessions, bytes, deps)) {
    if (verdict === 'pass')
      deps.report.result(
        `the machine code of ${first.capture.kernel.name} is that of the captured kernel: the edit changes nothing of it, for any input`,
      );
    const others = kernelsOfLines(edited, bytes, first);
    return others.length === 0 ? undefined : { edited: 0, without_code: 0, not_run: [], other_kernels: others };
  }
  // The edit removed lines that hold no condition, and put none in their place.
  if (edited.length === 0 && files.every((one) => removedOf(one).length + narrowedOf(one).length === 0))
    return { edited: 0, without_code: 0, not_run: [] };
  const table = readLineTable(bytes);
  if (table === null) {
    if (verdict === 'pass')
      deps.report.info(
        `the verdict is of the results; which edited lines ran was not counted: ${lineInfoHint(reproducer)}`,
      );
    return undefined;
  }
  const { events, outside } = await withDevice(device, deps, () => counted(sessions, deps));
  const digest = sha256(bytes);
  const own = events.filter((event) => event.code_object === digest && hasRun(event));
  if (own.length === 0) return undefined;
  const sources = new SourceFiles(reproducer);
  const asShown = (place: SourcePlace): SourcePlace => ({ ...place, file: sources.shown(place.file) });
  const columns = (places: readonly SourcePlace[]): Columns => columnsOf(places.map(asShown));
  // Inlined code has the line of its function, perhaps in a header, and belongs to that of its call, too.
  const calls = readInlinedCalls(bytes);
  const withCalls = (address: number): SourcePlace[] => placesAt(table, calls, address);
  const placesOf = (all: readonly HotSpotEvent[], of: (address: number) => SourcePlace[]): SourcePlace[] =>
    all.flatMap(({ offset }) => (offset === undefined ? [] : of(Number(offset))));
  const isElsewhere = inOtherKernels(bytes, sessions);
  const withCode = [...table.places()].flatMap((place) =>
    [place, ...calls.at(place.address)].map((each) => ({ ...each, isOther: isElsewhere(place.address) })),
  );
  const decides = ({ true_lanes: held = 0, false_lanes: failed = 0 }: HotSpotEvent): boolean => held + failed > 0;
  // The code of min() and fmaxf() has a line of a header; that of other headers selects for reasons of its own.
  const selecting = (address: number): SourcePlace[] => {
    const own = table.at(address);
    return own !== undefined && !/math/i.test(basename(own.file)) ? [own] : withCalls(address);
  };
  const decided = own.filter(decides);
  const at = (address: number): SourcePlace | undefined => table.at(address);
  const seen = {
    // A line of other kernels alone never ran; in a line of this one too, its instructions alone count.
    withCode: new Map([...columns(withCode), ...columns(withCode.filter(({ isOther }) => !isOther))]),
    ran: columns(placesOf(own, withCalls)),
    selects: columns(
      placesOf(
        own.filter((event) => isSelection(event.instruction) && !decides(event)),
        selecting,
      ),
    ),
    oneSided: columns(oneSidedPlaces(decided, at)),
    oneSidedSelections: columns(
      oneSidedPlaces(
        decided.filter(({ instruction }) => isSelection(instruction)),
        at,
      ),
    ),
  };
  const executed = executedBy(own, (address) => withCalls(address).map(asShown));
  const lines = withKeptConditions(sortEdit(edited, seen), files, seen);
  const compiled = files.map((one) => {
    const hasCode = (line: number): boolean => seen.withCode.has(keyOf({ file: one.file, line }));
    return { ...one, after: compiledText(one.before, one.after, hasCode) };
  });
  const removed = compiled.flatMap((one) =>
    removedOf(one, (line) => seen.withCode.get(keyOf({ file: one.file, line }))),
  );
  return {
    ...withUntold(lines, compiled, executed),
    ...(removed.length === 0 ? {} : { removed }),
    ...narrowedBeside(compiled.flatMap(narrowedOf), removed),
    ...(outside.length === 0 ? {} : { outside }),
  };
}

/** A condition that was removed says as much of what it read. */
function narrowedBeside(narrowed: Narrowed, removed: readonly SourceLine[]): Pick<EditedLines, 'narrowed'> {
  const named = new Set(removed.map(keyOf));
  const others = narrowed.filter((one) => !named.has(keyOf(one)));
  return others.length === 0 ? {} : { narrowed: others };
}

type Narrowed = NonNullable<EditedLines['narrowed']>;

/** Names of the scalar parameters, and of the extents of the launch, that had one value in all that was judged. */
function unvariedScalars(sessions: readonly ReplaySession[], { dispatches }: Judged): string[] {
  const derived = dispatches.flatMap(({ inputs }) => inputs?.tried ?? []);
  const varied = new Set(
    derived.flatMap(({ verdict, argument }) => (verdict === 'same' && argument ? argument.name : [])),
  );
  const { args = [] } = sessions[0]?.reproducer.config ?? {};
  const extents = (['grid_blocks', 'block_threads'] as const).map(
    (extent) => new Set(sessions.map(({ capture }) => capture.geometry[extent].join())).size,
  );
  const launch = ['gridDim', 'blockDim'].filter((_, index) => extents[index] === 1);
  return args
    .flatMap(({ name, type, kind, offset }) => {
      if (name === null || kind === 'global_buffer' || type.includes('*') || varied.has(name)) return [];
      const valueIn = ({ capture }: ReplaySession) =>
        capture.kernarg.slots.find((slot) => slot.offset === offset)?.value;
      return new Set(sessions.map(valueIn)).size > 1 ? [] : [name];
    })
    .concat(launch);
}

/** Adds the edited conditions of which no instruction tells how they came out. */
function withUntold(
  lines: EditedLines,
  files: readonly EditedFile[],
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

/** Instructions that ran, by `file:line`. */
function executedBy(
  events: readonly HotSpotEvent[],
  placesOf: (address: number) => readonly SourcePlace[],
): ReadonlyMap<string, readonly Executed[]> {
  const lanesOf = ({ lanes }: HotSpotEvent): number => (typeof lanes === 'number' ? lanes : 0);
  const most = Math.max(...events.map((event) => lanesOf(event) / Math.max(event.executed, 1)), 0);
  const waveSize = most > 32 ? 64 : 32;
  const found = new Map<string, Executed[]>();
  for (const event of events) {
    const { offset, vector, executed, true_lanes: held = 0, false_lanes: failed = 0, instruction } = event;
    const work = vector === true ? lanesOf(event) : executed * waveSize;
    const isCounted = held + failed > 0 || isSelection(instruction);
    for (const place of offset === undefined ? [] : placesOf(Number(offset)))
      found.set(keyOf(place), [...(found.get(keyOf(place)) ?? []), { column: place.column, work, isCounted }]);
  }
  return found;
}

async function hasCapturedCode(sessions: readonly ReplaySession[], bytes: Buffer, deps: Deps): Promise<boolean> {
  for (const { reproducer, request, capture } of sessions) {
    const { symbol } = capture.kernel;
    if ((request.symbol ?? symbol) !== symbol || request.ownLaunch === true) return false;
    const captured = await readCapturedCode(reproducer.capture, deps);
    if (typeof captured === 'string' || !isSameKernelCode(symbol, captured, bytes)) return false;
  }
  return true;
}

/** Other kernels of the code object that have code of edited lines of which the judged one has none. */
function kernelsOfLines(
  edited: readonly SourceLine[],
  bytes: Buffer,
  { reproducer, capture }: ReplaySession,
): string[] {
  const table = readLineTable(bytes);
  const sources = new SourceFiles(reproducer);
  const keys = new Set(edited.map(keyOf));
  const ranges = kernelRanges(bytes);
  const owners = new Map<string, Set<string>>();
  for (const place of table?.places() ?? []) {
    const key = keyOf({ ...place, file: sources.shown(place.file) });
    const owner = ranges.find(({ begin, end }) => place.address >= begin && place.address < end)?.symbol;
    if (owner !== undefined && keys.has(key)) owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  }
  const others = [...owners.values()].filter((symbols) => !symbols.has(capture.kernel.symbol));
  return [...new Set(others.flatMap((symbols) => [...symbols]))];
}

/** Whether an address is in a kernel of the code object that none of the sessions launches: another instance, or another kernel. */
function inOtherKernels(bytes: Buffer, sessions: readonly ReplaySession[]): (address: number) => boolean {
  const own = new Set(sessions.map(({ request, capture }) => request.symbol ?? capture.kernel.symbol));
  const ranges = kernelRanges(bytes).filter(({ symbol }) => !own.has(symbol));
  return (address) => ranges.some(({ begin, end }) => address >= begin && address < end);
}

const lineInfoHint = ({ root }: Reproducer): string =>
  `the code has no line information; \`kernloop recompile ${relative(process.cwd(), root) || '.'} --line-info\` adds it`;

/** The compiler leaves out the jump around a short branch: its vector instructions are then executed by no lane. */
export const hasRun = ({ vector, lanes }: HotSpotEvent): boolean =>
  vector !== true || (typeof lanes === 'number' && lanes > 0);

/**
 * Whether an instruction computes one of several values by a condition, where the source may have a branch. Atomics that
 * keep a minimum select nothing of the wave's. The second half of a dual instruction follows `::`.
 */
export const isSelection = (instruction: string): boolean =>
  instruction
    .split('::')
    .some(
      (half) => /^\s*[vs]_(?:dual_|pk_)?(?:cndmask|cselect|cmovk?_|min|max|med3)/.test(half) || /\sclamp\b/.test(half),
    );

/**
 * Places whose comparisons, or whose selections, all came out the same, in every lane of every dispatch. Copies of a
 * condition have one place: if one saw the one side and one the other, so did the source. A comparison and a selection
 * at one place are no copies: they may be of two conditions that are joined there.
 */
export function oneSidedPlaces(
  events: readonly HotSpotEvent[],
  at: (address: number) => SourcePlace | undefined,
): SourcePlace[] {
  const seen = new Map<string, { place: SourcePlace; held: number; failed: number }>();
  for (const { offset, instruction, true_lanes: held = 0, false_lanes: failed = 0 } of events) {
    const place = offset === undefined ? undefined : at(Number(offset));
    if (place === undefined) continue;
    const key = `${keyOf(place)}:${place.column}:${/^[vs]_[a-z]+/.exec(instruction.trim())?.[0] ?? ''}`;
    const known = seen.get(key) ?? { place, held: 0, failed: 0 };
    seen.set(key, { place, held: known.held + held, failed: known.failed + failed });
  }
  return [...seen.values()].filter(({ held, failed }) => held === 0 || failed === 0).map(({ place }) => place);
}

async function counted(
  sessions: readonly ReplaySession[],
  deps: Deps,
): Promise<{ events: HotSpotEvent[]; outside: OutsideAccess[] }> {
  const events: HotSpotEvent[] = [];
  const found: OutsideAccess[] = [];
  for (const session of sessions) {
    const request = { ...session.request, iterations: 1, seed: 1, profile: true };
    const { outcome, outside } = await replayGuarded(session, request, deps);
    const { result, hotSpots } = outcome;
    if (result.verdict !== 'ran') throw new Error(`a replay that counts ended with ${result.verdict}`);
    events.push(...hotSpots);
    if (outside !== null) found.push(outside);
  }
  return { events, outside: found };
}

/** `file:line`. */
export const keyOf = ({ file, line }: SourceLine): string => `${file}:${line}`;

/** A file that was edited since extraction, and the numbers of its lines that were added or changed. */
interface EditedFile {
  readonly file: string;
  /** The text at extraction. */
  readonly original: string;
  /** The same with other letters for each constant that has another value now. */
  readonly before: string;
  readonly after: string;
  readonly lines: readonly number[];
}

/** Edited files among those that the compiler read; null if that is not known. */
function filesOfEdit({ root }: Reproducer): EditedFile[] | null {
  const { pristine, variantJson } = reproducerPaths(root);
  const { sources } = readJson(variantJson, variantJsonSchema, 'VARIANT_MISSING', 'run `kernloop recompile`');
  const texts: Pick<EditedFile, 'file' | 'original' | 'before' | 'after'>[] = [];
  for (const [file, digest] of Object.entries(sources)) {
    const path = join(pristine, file);
    const after = readRegularFile(resolveInside(root, file, 'build/variant.json: sources'), 'utf8');
    if (sha256(after) !== digest) return null;
    const original = existsSync(path) ? readRegularFile(path, 'utf8') : '';
    texts.push({ file, original, before: original, after });
  }
  const edited: EditedFile[] = [];
  for (const text of withChangedConstants(texts)) {
    if (text.before === text.after) continue;
    const lines = newLines(text.before, text.after);
    if (lines === null) return null;
    edited.push({ ...text, lines });
  }
  return edited;
}

/** Beginning of each change of the edit: its first line, or the line behind what was removed. Empty if not known. */
export function placesOfEdit(reproducer: Reproducer): SourceLine[] {
  return (filesOfEdit(reproducer) ?? []).flatMap(({ file, original, after }) =>
    (changesIn(original, after) ?? []).map((line) => ({ file, line })),
  );
}

/** Leaves out conditions that the edit kept together with what they hold, and adds lines that depend on kept ones. */
export function withKeptConditions(
  lines: EditedLines,
  files: readonly Omit<EditedFile, 'original'>[],
  seen: SeenOfAll,
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

/** Whether the compiler counts lines otherwise than an editor: `#line`, and carriage returns alone. */
export const hasOtherLines = (text: string): boolean => /^[ \t]*#[ \t]*(?:line\b|\d)|\r(?!\n)/m.test(text);

/** Columns of each line, by `file:line`. */
type Columns = ReadonlyMap<string, ReadonlySet<number>>;

export function columnsOf(places: readonly SourcePlace[]): Columns {
  const columns = new Map<string, Set<number>>();
  for (const place of places) {
    const known = columns.get(keyOf(place)) ?? new Set();
    columns.set(keyOf(place), known.add(place.column));
  }
  return columns;
}

/** Places of instructions. */
interface Seen {
  readonly withCode: Columns;
  readonly ran: Columns;
  /** A selection was executed. */
  readonly selects: Columns;
  /** A condition that always came out the same. */
  readonly oneSided: Columns;
}

interface SeenOfAll extends Seen {
  /** A selection by a condition that always came out the same. */
  readonly oneSidedSelections: Columns;
}

export function sortEdit(edited: readonly SourceLine[], { withCode, ran, selects, oneSided }: Seen): EditedLines {
  const own = edited.filter((line) => withCode.has(keyOf(line)));
  const partly = own.flatMap(({ file, line }) => {
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
