import { eventsOfChunk, type EventChunk } from './events';

/** An event with all values as numbers. */
export interface PlainEvent {
  readonly eventId: number;
  readonly pid: number;
  readonly pidM: number;
  readonly pidN: number;
  readonly targetRank: number;
  readonly xcc: number;
  readonly unit: number;
  readonly opIndex: number;
  readonly payload: number;
  readonly start: number;
  /** NaN if it never ended. */
  readonly end: number;
  readonly address: bigint;
}

const smallColumns = ['eventId', 'pid', 'pidM', 'pidN', 'targetRank', 'xcc', 'unit', 'opIndex', 'payload'] as const;

/**
 * Collects events in any order in columns that grow, then returns chunks in the order of their starts, the longer event
 * first.
 */
export class GrowingEvents {
  count = 0;
  leastStart = Infinity;
  private columns = columnsOf(1024);

  push(event: PlainEvent): void {
    if (this.count === this.columns.start.length) this.columns = columnsOf(2 * this.count, this.columns);
    const { columns, count } = this;
    for (const name of smallColumns) columns[name][count] = event[name];
    columns.start[count] = event.start;
    if (event.start < this.leastStart) this.leastStart = event.start;
    columns.end[count] = event.end;
    columns.address[count] = BigInt.asUintN(64, event.address);
    this.count++;
  }

  *chunks(): Generator<EventChunk> {
    const { start, end } = this.columns;
    const order = new Uint32Array(this.count).map((_, index) => index);
    const length = (index: number): number => (end[index] ?? NaN) - (start[index] ?? 0) || 0;
    order.sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || length(b) - length(a) || a - b);
    for (let first = 0; first < this.count; first += eventsOfChunk) {
      const rows = order.subarray(first, first + eventsOfChunk);
      const chunk = columnsOf(rows.length);
      for (const [to, from] of rows.entries()) {
        for (const name of smallColumns) chunk[name][to] = this.columns[name][from] ?? 0;
        chunk.start[to] = start[from] ?? 0;
        chunk.end[to] = end[from] ?? NaN;
        chunk.address[to] = this.columns.address[from] ?? 0n;
      }
      yield { ...chunk, count: rows.length };
    }
  }
}

type Columns = Omit<EventChunk, 'count'>;

function columnsOf(size: number, from?: Columns): Columns {
  const grown = <T extends { set(values: T): void }>(to: T, old: T | undefined): T => {
    if (old) to.set(old);
    return to;
  };
  const small = (name: (typeof smallColumns)[number]): Int32Array => grown(new Int32Array(size), from?.[name]);
  return {
    eventId: small('eventId'),
    pid: small('pid'),
    pidM: small('pidM'),
    pidN: small('pidN'),
    targetRank: small('targetRank'),
    xcc: small('xcc'),
    unit: small('unit'),
    opIndex: small('opIndex'),
    payload: small('payload'),
    start: grown(new Float64Array(size), from?.start),
    end: grown(new Float64Array(size), from?.end),
    address: grown(new BigUint64Array(size), from?.address),
  };
}
