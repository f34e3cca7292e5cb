/** Events that ranks recorded inside their kernels (docs/reference/device-events.proto), as readers provide them. */

interface EventClock {
  /** False for steps of the software GPU. */
  readonly isTime: boolean;
  readonly ticksPerSecond: number;
  /** Resolution in the unit of the times; 0 if it was not measured. */
  readonly resolution: number;
  readonly source: string;
}

/** At `deviceNs` of the device's clock, the host's CLOCK_MONOTONIC was within `errorNs` of deviceNs + offsetNs. */
interface Anchor {
  readonly deviceNs: bigint;
  readonly offsetNs: bigint;
  readonly errorNs: number;
}

/** CLOCK_MONOTONIC is one clock for all processes of one boot. */
export interface EventHost {
  readonly name: string;
  readonly boot: string;
  readonly pid: number;
  readonly command: string;
}

export interface RankHeader {
  readonly rank: number;
  readonly worldSize: number;
  readonly deviceName: string;
  readonly target: string;
  readonly clock: EventClock;
  readonly kept: number;
  readonly dropped: bigint;
  readonly eventNames: ReadonlyMap<number, string>;
  readonly anchors: readonly Anchor[];
  readonly host: EventHost;
}

/** Maximum number of events of a rank in memory at a time. */
export const eventsOfChunk = 1 << 16;

/**
 * Columns of equal length. `start` and `end` are relative to the rank's `base`; the end of an event that never ended is
 * NaN.
 */
export interface EventChunk {
  readonly count: number;
  readonly eventId: Int32Array;
  readonly pid: Int32Array;
  readonly pidM: Int32Array;
  readonly pidN: Int32Array;
  readonly targetRank: Int32Array;
  readonly xcc: Int32Array;
  readonly unit: Int32Array;
  readonly opIndex: Int32Array;
  readonly payload: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly address: BigUint64Array;
}

/** The events of a rank, in the order of their starts. */
export interface RankEvents {
  readonly header: RankHeader;
  readonly base: bigint;
  chunks(): Iterable<EventChunk>;
}

export interface HostRange {
  readonly name: string;
  readonly thread: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

export interface HostRanges {
  readonly rank: number;
  readonly host: EventHost;
  readonly ranges: () => Iterable<HostRange>;
}

export interface EventsFile {
  readonly path: string;
  readonly kind: 'kernloop' | 'kernloop-json' | 'iris';
  readonly ranks: readonly RankEvents[];
  readonly hostRanges: readonly HostRanges[];
  /** Repairs, and unknown facts. */
  readonly notes: readonly string[];
}

/** Ids of schema 1.2; the file names the ids of users. */
const knownNames: Readonly<Record<number, string>> = {
  ...Object.fromEntries(
    [
      ...['load', 'store', 'get', 'put', 'copy', 'atomic_add', 'atomic_sub', 'atomic_cas', 'atomic_xchg', 'atomic_xor'],
      ...['atomic_and', 'atomic_or', 'atomic_min', 'atomic_max'],
    ].map((name, id) => [id, name]),
  ),
  1024: 'fetch',
  2048: 'compute',
  2049: 'reduce',
  3072: 'wait',
  3073: 'barrier',
};

export function nameOfEvent(id: number, names: ReadonlyMap<number, string>): string {
  return names.get(id) ?? knownNames[id] ?? `unknown_${id}`;
}

/** Id of an event by Iris's name. */
export function idOfEvent(name: string): number | undefined {
  const unknown = /^unknown_(\d{1,9})$/.exec(name)?.[1];
  if (unknown !== undefined) return Number(unknown);
  const known = Object.entries(knownNames).find(([, each]) => each === name);
  return known && Number(known[0]);
}

/** Direction of data between the rank of an event and its target, if data moves. */
export function directionOf(id: number): 'to-target' | 'from-target' | null {
  if (id === 0 || id === 2) return 'from-target';
  return id >= 1 && id <= 13 ? 'to-target' : null;
}

export function categoryOf(id: number): string {
  if (id < 1024) return 'memory';
  if (id < 2048) return 'data';
  return id < 3072 ? 'compute' : 'sync';
}
