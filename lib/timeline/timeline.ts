import type { TimelineWriter } from '../perfetto/timeline-writer';
import { KernloopError } from '../support/error';
import { categoryOf, directionOf, nameOfEvent, type EventsFile, type HostRanges } from './events';
import { Cursor, type RankFacts } from './cursor';
import { invalidEvents } from './invalid';
import { Heap } from './lanes';
import type { Launches } from './launches';
import { processOf, Tracks, unitName } from './rank-tracks';
import type { Summary } from './summary';

export interface TimelineParts {
  readonly files: readonly EventsFile[];
  readonly launches: Launches | null;
  /** Whether ranks with unrelated clocks are shown on their own clocks. */
  readonly isUnaligned: boolean;
}

export interface TimelineFacts {
  readonly unit: 'ns' | 'steps';
  readonly alignment: 'host' | 'single' | 'none';
  /** Time at 0 of the timeline: on the host's clock if it is aligned, else on the device's. */
  readonly zero: bigint;
  readonly ranks: readonly RankFacts[];
  readonly flows: number;
  readonly hostRanges: number;
  readonly launches: number;
  readonly notes: readonly string[];
}

/**
 * Writes ranks, host activity and launches as one timeline in one pass: memory holds a chunk of each rank and the
 * running events.
 */
export function writeTimeline(parts: TimelineParts, writer: TimelineWriter, summary: Summary): TimelineFacts {
  return new Timeline(parts, writer, summary).write();
}

class Timeline {
  private readonly notes: string[];
  private readonly cursors: Cursor[];
  private readonly processes = new Map<number, bigint>();
  private readonly tracks: Tracks;
  private readonly unit: 'ns' | 'steps';
  private readonly alignment: TimelineFacts['alignment'];
  private readonly zero: bigint;
  private flows = 0;
  private beyond = 0;

  constructor(
    private readonly parts: TimelineParts,
    private readonly writer: TimelineWriter,
    private readonly summary: Summary,
  ) {
    const { files } = parts;
    const path = files[0]?.path ?? '';
    this.tracks = new Tracks(writer, summary, path);
    this.notes = files.flatMap(({ notes }) => notes);
    this.cursors = files
      .flatMap((file) => file.ranks.map((events) => new Cursor(events, file)))
      .sort((a, b) => a.rank - b.rank);
    const ranks = this.cursors.map(({ rank }) => rank);
    const twice = ranks.find((rank, index) => ranks.indexOf(rank) !== index);
    if (twice !== undefined)
      throw invalidEvents(
        path,
        `rank ${twice} is in two of the files`,
        'name each file of a rank once, or the merged one alone',
      );
    const times = new Set(this.cursors.map(({ events }) => events.header.clock.isTime));
    if (times.size > 1) throw invalidEvents(path, 'some ranks have times and others steps of the software GPU');
    this.unit = times.has(false) ? 'steps' : 'ns';
    this.alignment = this.alignmentOf();
    this.zero = this.zeroOf();
  }

  write(): TimelineFacts {
    const isOnHost = this.alignment === 'host';
    const { launches } = this.parts;
    const hostRanges = isOnHost ? this.writeHost() : 0;
    const launched = isOnHost && launches ? this.writeLaunches(launches) : 0;
    if (!isOnHost) this.noteLeftOut();
    const waiting = new Heap<Cursor>((a, b) => a.start - b.start || a.rank - b.rank);
    for (const cursor of this.cursors) {
      this.process(cursor.rank);
      if (cursor.advance(this.zero)) waiting.push(cursor);
    }
    for (let cursor = waiting.pop(); cursor !== undefined; cursor = waiting.pop()) {
      this.writeEvent(cursor);
      if (cursor.advance(this.zero)) waiting.push(cursor);
    }
    if (this.beyond > 0)
      this.notes.push(`${this.beyond} events name a target rank that there is not: they have no arrows`);
    return {
      unit: this.unit,
      alignment: this.alignment,
      zero: this.zero,
      ranks: this.cursors.map((cursor) => cursor.facts()),
      flows: this.flows,
      hostRanges,
      launches: launched,
      notes: this.notes,
    };
  }

  private alignmentOf(): TimelineFacts['alignment'] {
    const boots = new Set(this.cursors.map(({ events }) => events.header.host.boot));
    if (this.cursors.every(({ clock }) => clock.isAligned) && boots.size === 1 && !boots.has('')) return 'host';
    if (this.cursors.length === 1) return 'single';
    if (this.unit === 'steps' || this.parts.isUnaligned) {
      this.notes.push('clocks of ranks are not aligned: what was earlier on one rank than on another is not known');
      return 'none';
    }
    throw new KernloopError(
      'CLOCKS_UNRELATED',
      boots.size > 1
        ? 'the ranks ran on several hosts, whose clocks nothing relates'
        : 'the files do not say how the clocks of the ranks lie to each other',
      'show each rank by itself, or all as their clocks are, which says nothing of the order between ranks, with --unaligned',
    );
  }

  private zeroOf(): bigint {
    const isOnHost = this.alignment === 'host';
    const firsts = this.cursors
      .filter(({ events }) => events.header.kept > 0)
      .map(({ events, clock }) => events.base + (isOnHost ? clock.offsetAt(events.base) : 0n));
    if (isOnHost) {
      for (const { ranges } of this.hostRanges()) for (const { startNs } of ranges()) firsts.push(startNs);
      const launched = this.parts.launches?.rows.map(({ startNs }) => startNs) ?? [];
      if (this.launchesFit()) for (const startNs of launched) firsts.push(startNs);
    }
    return firsts.reduce((least, each) => (each < least ? each : least), firsts[0] ?? 0n);
  }

  private hostRanges(): HostRanges[] {
    const boot = this.cursors[0]?.events.header.host.boot;
    return this.parts.files.flatMap(({ hostRanges }) => hostRanges.filter(({ host }) => host.boot === boot));
  }

  private launchesFit(): boolean {
    return this.parts.launches?.boot === this.cursors[0]?.events.header.host.boot;
  }

  private noteLeftOut(): void {
    const why =
      this.unit === 'steps'
        ? 'steps of the software GPU are not times'
        : 'the clock of the device was not related to it';
    if (this.parts.files.some(({ hostRanges }) => hostRanges.length > 0))
      this.notes.push(`ranges of the host are left out: ${why}`);
    if (this.parts.launches) this.notes.push(`launches are left out: ${why}`);
  }

  private writeHost(): number {
    let count = 0;
    const processes = new Map<number, bigint>();
    for (const { rank, host, ranges } of this.hostRanges()) {
      const process =
        processes.get(rank) ??
        this.writer.process(processOf.host + rank, `Host of rank ${rank}: process ${host.pid}`, rank);
      processes.set(rank, process);
      for (const { name, thread, startNs, endNs } of ranges()) {
        if (endNs < startNs)
          throw invalidEvents(this.parts.files[0]?.path ?? '', `the range ${name} ends before it starts`);
        const place = { process, rank: -1, unit: `thread ${thread}`, order: 0, program: 0 };
        this.tracks.slice(place, name, this.since(startNs), this.since(endNs), { category: 'host' });
        count++;
      }
    }
    return count;
  }

  private writeLaunches(launches: Launches): number {
    if (!this.launchesFit()) {
      this.notes.push('launches are left out: the profile is of another boot, whose clock was another one');
      return 0;
    }
    const process = this.writer.process(processOf.launches, 'Kernel launches', processOf.host);
    for (const [index, { name, startNs, endNs, device, stream }] of launches.rows.entries()) {
      const place = { process, rank: -1, unit: `device ${device}, stream ${stream}`, order: device, program: index };
      this.tracks.slice(place, name, this.since(startNs), this.since(endNs), { category: 'launch' });
    }
    if (launches.leftOut > 0) this.notes.push(`the profile has ${launches.leftOut} more launches without their times`);
    return launches.rows.length;
  }

  private since(hostNs: bigint): number {
    const time = Number(hostNs - this.zero);
    if (!Number.isSafeInteger(time))
      throw invalidEvents(this.parts.files[0]?.path ?? '', `a time lies ${time} ns from the first one`);
    return time;
  }

  private process(rank: number): bigint {
    const known = this.processes.get(rank);
    if (known !== undefined) return known;
    const header = this.cursors.find((cursor) => cursor.rank === rank)?.events.header;
    const device = header ? (header.deviceName === '' ? '' : `: ${header.deviceName}`) : ' (no file of it)';
    const process = this.writer.process(
      processOf.rank(rank),
      `Rank ${rank}${device}${this.unit === 'steps' ? ' (steps, which are not times)' : ''}`,
      processOf.launches + rank,
    );
    this.processes.set(rank, process);
    return process;
  }

  private writeEvent(cursor: Cursor): void {
    const { chunk, index, rank, start, end, events } = cursor;
    const { header } = events;
    if (!chunk) return;
    const id = chunk.eventId[index] ?? 0;
    const name = nameOfEvent(id, header.eventNames);
    const [xcc, unit] = [chunk.xcc[index] ?? 0, chunk.unit[index] ?? 0];
    const process = this.process(rank);
    const target = chunk.targetRank[index] ?? 0;
    const payload = chunk.payload[index] ?? 0;
    const program = chunk.pid[index] ?? 0;
    const annotations = {
      program_id: program,
      pid_m: chunk.pidM[index] ?? 0,
      pid_n: chunk.pidN[index] ?? 0,
      target_rank: target,
      address: { pointer: chunk.address[index] ?? 0n },
      payload_bytes: payload,
      op_index: chunk.opIndex[index] ?? 0,
    };
    this.summary.event(rank, name, start, end, payload);
    const category = categoryOf(id);
    const unitLabel = unitName(header, xcc, unit, cursor.file.kind === 'iris');
    const order = 1 + (((xcc & 0xfff) * 4096 + (unit & 0xfffff)) & 0xffffff);
    const place = { process, rank, unit: unitLabel, order, program };
    if (!(end >= start)) {
      const what = Number.isNaN(end) ? 'never ended' : 'ends before it starts';
      const details = {
        category,
        annotations: { ...annotations, what, ...(Number.isNaN(end) ? {} : { end_before_start: start - end }) },
      };
      this.tracks.instant(place, `${name} (${what})`, start, details);
      return;
    }
    const direction = target === rank ? null : directionOf(id);
    if (direction === null || target < 0 || target >= header.worldSize) {
      if (direction !== null) this.beyond++;
      this.tracks.slice(place, name, start, end, { category, annotations });
      return;
    }
    const flow = ++this.flows;
    const isOut = direction === 'to-target';
    const other = {
      place: { process: this.process(target), rank: target, unit: 'remote accesses', order: 0, program: flow },
      name: `${name} ${isOut ? 'from' : 'by'} rank ${rank}`,
    };
    const own = { category, annotations, [isOut ? 'flows' : 'endsFlows']: [flow] };
    const far = { category: 'remote', [isOut ? 'endsFlows' : 'flows']: [flow] };
    // The source of data comes first: arrows between equal times point in the order in which they are written.
    if (isOut) this.tracks.slice(place, name, start, end, own);
    this.tracks.slice(other.place, other.name, start, end, far);
    if (!isOut) this.tracks.slice(place, name, start, end, own);
  }
}
