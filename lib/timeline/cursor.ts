import type { EventChunk, EventsFile, RankEvents } from './events';
import { invalidEvents } from './invalid';
import { RankClock } from './rank-clock';

export interface RankFacts {
  readonly rank: number;
  readonly device: string;
  readonly kept: number;
  readonly dropped: bigint;
  readonly open: number;
  readonly reversed: number;
  readonly clock: string;
  readonly resolution: number;
  /** Maximum difference to the host's time; null if it is not bounded. */
  readonly errorNs: number | null;
}

/** Position of a rank: its next event on the timeline. */
export class Cursor {
  readonly rank: number;
  readonly clock: RankClock;
  chunk: EventChunk | null = null;
  index = -1;
  start = 0;
  end = 0;
  private readonly chunks: Iterator<EventChunk>;
  private offset = 0n;
  private shift: number | null = null;
  private lastStart = -Infinity;
  private lastEnd = -Infinity;
  private open = 0;
  private reversed = 0;

  constructor(
    readonly events: RankEvents,
    readonly file: EventsFile,
  ) {
    this.rank = events.header.rank;
    this.clock = new RankClock(events.header);
    this.chunks = events.chunks()[Symbol.iterator]();
  }

  /** Moves to the next event; returns false if there is none. */
  advance(zero: bigint): boolean {
    this.index++;
    while (this.chunk === null || this.index >= this.chunk.count) {
      const next = this.chunks.next();
      if (next.done === true) {
        if (this.shift !== null) this.clock.used(this.device(this.latest()), this.offset);
        return false;
      }
      this.chunk = next.value;
      this.index = 0;
    }
    this.place(this.chunk.start[this.index] ?? 0, this.chunk.end[this.index] ?? NaN, zero);
    return true;
  }

  private place(start: number, end: number, zero: bigint): void {
    if (start < this.lastStart)
      throw invalidEvents(this.file.path, `rank ${this.rank}: an event starts before the one in front of it`);
    const shift = this.shiftAt(start, zero);
    this.lastStart = start;
    this.start = start + shift;
    this.end = end + shift;
    if (Number.isNaN(end)) this.open++;
    else if (end < start) this.reversed++;
    else if (end > this.lastEnd) this.lastEnd = end;
  }

  /** While nothing runs the offset may change, but no event may come before one already shown. */
  private shiftAt(start: number, zero: bigint): number {
    const { shift, clock } = this;
    if (shift !== null && (!clock.isAligned || start < this.lastEnd)) return shift;
    const offset = clock.offsetAt(this.device(start));
    const moved = Number(this.events.base + offset - zero);
    if (!Number.isSafeInteger(moved))
      throw invalidEvents(this.file.path, `rank ${this.rank} starts ${moved} ns after the first one`);
    if (shift !== null) {
      clock.used(this.device(this.latest()), this.offset);
      if (start + moved < this.latest() + shift) return shift;
    }
    this.offset = offset;
    this.shift = moved;
    clock.used(this.device(start), offset);
    return moved;
  }

  private latest(): number {
    return Math.max(this.lastStart, this.lastEnd);
  }

  private device(since: number): bigint {
    return this.events.base + BigInt(since);
  }

  facts(): RankFacts {
    const { deviceName, target, kept, dropped, clock } = this.events.header;
    return {
      rank: this.rank,
      device: [deviceName, target].filter((text) => text !== '').join(', '),
      kept,
      dropped,
      open: this.open,
      reversed: this.reversed,
      clock: clock.source,
      resolution: clock.resolution,
      errorNs: this.clock.errorNs,
    };
  }
}
