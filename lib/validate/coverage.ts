import { basename } from 'node:path';
import type { Deps } from '../deps/deps';
import type { HotSpotEvent } from '../replay/replay-events';
import type { ReplaySession } from '../replay/session';
import { SourceFiles } from '../replay/source-files';
import { sha256 } from '../support/files';
import { placesAt, readInlinedCalls } from '../toolchain/inlined-calls';
import type { Described } from '../toolchain/described-code';
import type { LineTable, SourceLine, SourcePlace } from '../toolchain/line-table';
import { replayGuarded } from './outside-arrays';
import type { OutsideAccess } from './report-json';
import type { Executed } from './untold-conditions';

/** Columns of each line, by `file:line`. */
export type Columns = ReadonlyMap<string, ReadonlySet<number>>;

/** Places of the instructions of a code object, by what replays saw there. */
export interface Coverage {
  readonly withCode: Columns;
  readonly ran: Columns;
  /** A selection was executed. */
  readonly selects: Columns;
  /** A condition that always came out the same. */
  readonly oneSided: Columns;
  /** A selection by a condition that always came out the same. */
  readonly oneSidedSelections: Columns;
  /** A condition. */
  readonly decides: Columns;
  /** A call in whose place is code that selects, or has a condition that always came out the same. */
  readonly doubtedCalls: Columns;
  readonly executed: ReadonlyMap<string, readonly Executed[]>;
}

/** Coverage of the kernel that the sessions launch, by the events of their replays. Null if nothing of this code ran. */
export function coverageOf(
  bytes: Buffer,
  facts: Described | null,
  table: LineTable,
  events: readonly HotSpotEvent[],
  sessions: readonly [ReplaySession, ...ReplaySession[]],
): Coverage | null {
  const digest = sha256(bytes);
  const own = events.filter((event) => event.code_object === digest && hasRun(event));
  if (own.length === 0) return null;
  const sources = new SourceFiles(sessions[0].reproducer);
  const asShown = (place: SourcePlace): SourcePlace => ({ ...place, file: sources.shown(place.file) });
  const columns = (places: readonly SourcePlace[]): Columns => columnsOf(places.map(asShown));
  // Inlined code has the line of its function, perhaps in a header, and belongs to that of its call, too.
  const calls = readInlinedCalls(bytes);
  const withCalls = (address: number): SourcePlace[] => placesAt(table, calls, address);
  const placesOf = (all: readonly HotSpotEvent[], of: (address: number) => SourcePlace[]): SourcePlace[] =>
    all.flatMap(({ offset }) => (offset === undefined ? [] : of(Number(offset))));
  const isElsewhere = inOtherKernels(facts, sessions);
  const withCode = [...table.places()].flatMap((place) =>
    [place, ...calls.at(place.address)].map((each) => ({ ...each, isOther: isElsewhere(place.address) })),
  );
  // The code of min() and fmaxf() has a line of a header; that of other headers selects for reasons of its own.
  const selecting = (address: number): SourcePlace[] => {
    const own = table.at(address);
    return own !== undefined && !/math/i.test(basename(own.file)) ? [own] : withCalls(address);
  };
  const decided = own.filter(decides);
  const at = (address: number): SourcePlace | undefined => table.at(address);
  const placeAt = (address: number): SourcePlace[] => [at(address) ?? []].flat();
  const selections = own.filter(({ instruction }) => isSelection(instruction));
  const oneSided = columns(oneSidedPlaces(decided, at));
  const plain = columns(
    placesOf(
      selections.filter((event) => !decides(event)),
      placeAt,
    ),
  );
  const isDoubted = (place: SourcePlace | undefined): boolean =>
    place !== undefined && [oneSided, plain].some((all) => all.has(keyOf(asShown(place))));
  // The functions of system headers decide for reasons of their own.
  const isOwnFile = (place: SourcePlace | undefined): boolean =>
    place !== undefined && !/^\/|^\.\./.test(sources.shown(place.file));
  return {
    // A line of other kernels alone never ran; in a line of this one too, its instructions alone count.
    withCode: new Map([...columns(withCode), ...columns(withCode.filter(({ isOther }) => !isOther))]),
    ran: columns(placesOf(own, withCalls)),
    selects: columns(
      placesOf(
        selections.filter((event) => !decides(event)),
        selecting,
      ),
    ),
    oneSided,
    oneSidedSelections: columns(oneSidedPlaces(selections.filter(decides), at)),
    decides: columns(placesOf(decided, placeAt)),
    doubtedCalls: columns(
      placesOf(
        own.filter(({ offset }) => offset !== undefined && isOwnFile(at(Number(offset)))),
        (address) => (isDoubted(at(address)) ? [...calls.at(address)] : []),
      ),
    ),
    executed: executedBy(own, (address) => withCalls(address).map(asShown)),
  };
}

const decides = ({ true_lanes: held = 0, false_lanes: failed = 0 }: HotSpotEvent): boolean => held + failed > 0;

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

/** Whether an address is in a kernel of the code object that none of the sessions launches: another instance, or another kernel. */
function inOtherKernels(facts: Described | null, sessions: readonly ReplaySession[]): (address: number) => boolean {
  const own = new Set(sessions.map(({ request, capture }) => request.symbol ?? capture.kernel.symbol));
  const others = facts?.kernels.filter(({ symbol }) => !own.has(symbol)) ?? [];
  return (address) => others.some(({ code }) => code !== undefined && address >= code.begin && address < code.end);
}

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

/** Replays each dispatch once, and counts what each instruction does. */
export async function counted(
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

export function columnsOf(places: readonly SourcePlace[]): Columns {
  const columns = new Map<string, Set<number>>();
  for (const place of places) {
    const known = columns.get(keyOf(place)) ?? new Set();
    columns.set(keyOf(place), known.add(place.column));
  }
  return columns;
}
