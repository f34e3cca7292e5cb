import { Reader } from 'protobufjs/light';
import { KernloopError, messageOf } from '../support/error';
import {
  eventsOfChunk,
  type EventChunk,
  type EventHost,
  type EventsFile,
  type HostRange,
  type RankHeader,
} from './events';
import { invalidEvents } from './invalid';
import { PacketFile, type PacketPlace } from './packets';

const content = { rank: 1, events: 2, hostRanges: 3 } as const;
const version = 1;
const mostRanks = 4096;
const mostNames = 65_536;
const mostAnchors = 4096;
/** Size of the first fields in a packet of events: rank and count come before the columns. */
const headBytes = 32;

/**
 * Reads docs/reference/device-events.proto. Only the positions of packets are in memory; contents are read one at a
 * time.
 */
export function openProtoEvents(path: string, size: number): EventsFile {
  const file = new PacketFile(path, size);
  const reading = <T>(place: PacketPlace, read: (reader: Reader) => T, most?: number): T => {
    try {
      return read(Reader.create(file.read(place, most)));
    } catch (error) {
      if (error instanceof KernloopError) throw error;
      throw invalidEvents(path, `the packet at byte ${place.offset}: ${messageOf(error)}`);
    }
  };
  const of = (field: number): PacketPlace[] => file.packets.filter((place) => place.field === field);
  const headers = of(content.rank);
  if (headers.length === 0 || headers.length > mostRanks)
    throw invalidEvents(path, `${headers.length} ranks are in it`);
  const ranks = new Map<number, { header: RankHeader; places: PacketPlace[]; count: number }>();
  for (const place of headers) {
    const header = reading(place, (reader) => readRank(reader, path));
    if (ranks.has(header.rank)) throw invalidEvents(path, `rank ${header.rank} is in it twice`);
    ranks.set(header.rank, { header, places: [], count: 0 });
  }
  for (const place of of(content.events)) {
    const { rank, count } = reading(place, readEventsHead, headBytes);
    const events = ranks.get(rank);
    if (!events) throw invalidEvents(path, `events of rank ${rank}, of which nothing is said`);
    if (count > eventsOfChunk) throw invalidEvents(path, `a packet of ${count} events`);
    events.places.push(place);
    events.count += count;
  }
  return {
    path,
    kind: 'kernloop',
    ranks: [...ranks.values()].map(({ header, places, count }) => {
      if (count !== header.kept) throw invalidEvents(path, `rank ${header.rank} has ${count} events of ${header.kept}`);
      const [first] = places;
      const base = first ? reading(first, (reader) => readColumns(reader, path).startAt(0)) : 0n;
      return {
        header,
        base,
        *chunks() {
          for (const place of places) yield reading(place, (reader) => readColumns(reader, path).chunk(base));
        },
      };
    }),
    hostRanges: of(content.hostRanges).map((place) => ({
      ...reading(place, readRangesHead),
      ranges: () => reading(place, readRanges),
    })),
    notes: [],
  };
}

/** Calls `read` for each field; fields that it does not read are skipped. */
function eachField(reader: Reader, end: number, read: (field: number, wire: number) => boolean): void {
  while (reader.pos < end) {
    const key = reader.uint32();
    if (!read(key >>> 3, key & 7)) reader.skipType(key & 7);
  }
}

function message<T>(reader: Reader, read: (end: number) => T): T {
  const bytes = reader.uint32();
  const end = reader.pos + bytes;
  if (end > reader.len) throw new RangeError(`a message of ${bytes} bytes`);
  const value = read(end);
  if (reader.pos !== end) throw new RangeError('a message does not end where it says');
  return value;
}

/** Reads a 64-bit number as a bigint: protobufjs uses an optional Long type, and loses digits without it. */
function wide(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos++];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new RangeError('a number has no end');
}

function count(reader: Reader): number {
  const value = wide(reader);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`a count of ${value}`);
  return Number(value);
}

function fixed(reader: Reader): bigint {
  const low = reader.fixed32();
  const high = reader.sfixed32();
  return (BigInt(high) << 32n) | BigInt(low);
}

const noHost: EventHost = { name: '', boot: '', pid: 0, command: '' };

function readHost(reader: Reader): EventHost {
  let host = noHost;
  message(reader, (end) =>
    eachField(reader, end, (field) => {
      if (field === 1) host = { ...host, name: reader.string() };
      else if (field === 2) host = { ...host, boot: reader.string() };
      else if (field === 3) host = { ...host, pid: count(reader) };
      else if (field === 4) host = { ...host, command: reader.string() };
      else return false;
      return true;
    }),
  );
  return host;
}

function readRank(reader: Reader, path: string): RankHeader {
  const fields = { version: 0, rank: 0, worldSize: 0, deviceName: '', target: '', kept: 0, dropped: 0n, host: noHost };
  const clock = { isTime: false, ticksPerSecond: 0, resolution: 0, source: '' };
  const eventNames = new Map<number, string>();
  const anchors: { deviceNs: bigint; offsetNs: bigint; errorNs: number }[] = [];
  const read = (field: number): boolean => {
    if (field === 1) fields.version = count(reader);
    else if (field === 2) fields.rank = count(reader);
    else if (field === 3) fields.worldSize = count(reader);
    else if (field === 4) fields.deviceName = reader.string();
    else if (field === 5) fields.target = reader.string();
    else if (field === 6) message(reader, (end) => eachField(reader, end, readClock));
    else if (field === 7) fields.kept = count(reader);
    else if (field === 8) fields.dropped = wide(reader);
    else if (field === 9) readName();
    else if (field === 10) readAnchor();
    else if (field === 11) fields.host = readHost(reader);
    else return false;
    return true;
  };
  const readClock = (field: number): boolean => {
    if (field === 1) clock.isTime = reader.bool();
    else if (field === 2) clock.ticksPerSecond = count(reader);
    else if (field === 3) clock.resolution = count(reader);
    else if (field === 4) clock.source = reader.string();
    else return false;
    return true;
  };
  const readName = (): void => {
    let [id, name] = [0, ''];
    message(reader, (end) =>
      eachField(reader, end, (field) => {
        if (field === 1) id = reader.sint32();
        else if (field === 2) name = reader.string();
        else return false;
        return true;
      }),
    );
    eventNames.set(id, name);
    if (eventNames.size > mostNames) throw invalidEvents(path, `more than ${mostNames} names of events`);
  };
  const readAnchor = (): void => {
    const anchor = { deviceNs: 0n, offsetNs: 0n, errorNs: 0 };
    message(reader, (end) =>
      eachField(reader, end, (field) => {
        if (field === 1) anchor.deviceNs = fixed(reader);
        else if (field === 2) anchor.offsetNs = fixed(reader);
        else if (field === 3) anchor.errorNs = count(reader);
        else return false;
        return true;
      }),
    );
    anchors.push(anchor);
    if (anchors.length > mostAnchors) throw invalidEvents(path, `more than ${mostAnchors} anchors`);
  };
  eachField(reader, reader.len, read);
  const { version: written, ...header } = fields;
  if (written !== version)
    throw invalidEvents(path, `it is of version ${written}, and version ${version} is known`, 'update Kernloop');
  return { ...header, clock, eventNames, anchors };
}

function readEventsHead(reader: Reader): { rank: number; count: number } {
  const head = { rank: 0, count: 0 };
  while (reader.pos < reader.len) {
    const key = reader.uint32();
    if (key >>> 3 === 1) head.rank = count(reader);
    else if (key >>> 3 === 2) head.count = count(reader);
    else break;
  }
  return head;
}

const columnFields = {
  ...{ eventId: 3, pid: 4, pidM: 5, pidN: 6, targetRank: 8, xcc: 9, unit: 10, start: 11, address: 12, end: 13 },
  ...{ opIndex: 14, payload: 15 },
} as const;
const wideColumns: readonly number[] = [columnFields.start, columnFields.address, columnFields.end];
const columnsOfFile = 15;

/** Columns of a packet as bytes; each must occur once and have the length that the packet declares. */
function readColumns(reader: Reader, path: string): Columns {
  let events = 0;
  const columns = new Map<number, Uint8Array>();
  eachField(reader, reader.len, (field, wire) => {
    if (field === 2) events = count(reader);
    else if (field >= 3 && field <= columnsOfFile && wire === 2) columns.set(field, reader.bytes());
    else return false;
    return true;
  });
  for (let field = 3; field <= columnsOfFile; field++) {
    const bytes = columns.get(field)?.length ?? 0;
    if (bytes !== events * (wideColumns.includes(field) ? 8 : 4))
      throw invalidEvents(path, `column ${field} of ${events} events has ${bytes} bytes`);
  }
  return new Columns(path, events, columns);
}

class Columns {
  constructor(
    private readonly path: string,
    private readonly count: number,
    private readonly bytes: ReadonlyMap<number, Uint8Array>,
  ) {}

  startAt(index: number): bigint {
    return new BigInt64Array(this.copied(columnFields.start))[index] ?? 0n;
  }

  chunk(base: bigint): EventChunk {
    const small = (field: number): Int32Array => new Int32Array(this.copied(field));
    return {
      count: this.count,
      eventId: small(columnFields.eventId),
      pid: small(columnFields.pid),
      pidM: small(columnFields.pidM),
      pidN: small(columnFields.pidN),
      targetRank: small(columnFields.targetRank),
      xcc: small(columnFields.xcc),
      unit: small(columnFields.unit),
      opIndex: small(columnFields.opIndex),
      payload: small(columnFields.payload),
      start: this.times(columnFields.start, base, false),
      end: this.times(columnFields.end, base, true),
      address: new BigUint64Array(this.copied(columnFields.address)),
    };
  }

  /**
   * Differences to the base, computed in halves: values that fit a double are exact, and others cannot be times of a
   * trace.
   */
  private times(field: number, base: bigint, mayBeOpen: boolean): Float64Array {
    const words = new Int32Array(this.copied(field));
    const baseLow = Number(base & 0xffffffffn);
    const baseHigh = Number(base >> 32n);
    const times = new Float64Array(this.count);
    for (let index = 0; index < this.count; index++) {
      const low = words[2 * index] ?? 0;
      const high = words[2 * index + 1] ?? 0;
      if (mayBeOpen && low === -1 && high === -1) {
        times[index] = NaN;
        continue;
      }
      const time = (high - baseHigh) * 2 ** 32 + ((low >>> 0) - baseLow);
      if (!Number.isSafeInteger(time)) throw invalidEvents(this.path, `a time lies ${time} ns from the first one`);
      times[index] = time;
    }
    return times;
  }

  /** Copies the bytes, so that arrays of their width are aligned. */
  private copied(field: number): ArrayBuffer {
    const bytes = this.bytes.get(field) ?? new Uint8Array();
    const copy = new ArrayBuffer(bytes.length);
    new Uint8Array(copy).set(bytes);
    return copy;
  }
}

function readRangesHead(reader: Reader): { rank: number; host: EventHost } {
  let [rank, host] = [0, noHost];
  eachField(reader, reader.len, (field) => {
    if (field === 1) rank = count(reader);
    else if (field === 2) host = readHost(reader);
    else return false;
    return true;
  });
  return { rank, host };
}

function readRanges(reader: Reader): HostRange[] {
  const ranges: HostRange[] = [];
  eachField(reader, reader.len, (field) => {
    if (field !== 3) return false;
    const range = { name: '', thread: '0', startNs: 0n, endNs: 0n };
    message(reader, (end) =>
      eachField(reader, end, (inner) => {
        if (inner === 1) range.name = reader.string();
        else if (inner === 2) range.thread = String(wide(reader));
        else if (inner === 3) range.startNs = fixed(reader);
        else if (inner === 4) range.endNs = fixed(reader);
        else return false;
        return true;
      }),
    );
    ranges.push(range);
    return true;
  });
  return ranges;
}
