import { closeSync, openSync, readSync } from 'node:fs';
import { invalidEvents } from './invalid';

/** Position of a packet's content in the file, and its field number in `Packet.content`. */
export interface PacketPlace {
  readonly field: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Limits for hostile files: size of a packet, and number of packets. */
const mostPacketBytes = 64 << 20;
const mostPackets = 1 << 20;
/** Longest head: two keys, two lengths. */
const headBytes = 24;

/** A file of packets, read in pieces; only their positions are kept in memory. */
export class PacketFile {
  readonly packets: readonly PacketPlace[];

  constructor(
    readonly path: string,
    private readonly size: number,
  ) {
    this.packets = this.reading((file) => [...this.scan(file)]);
  }

  /** Content of a packet, or only its beginning. */
  read({ offset, bytes }: PacketPlace, most = bytes): Buffer {
    return this.reading((file) => this.bytesAt(file, offset, Math.min(bytes, most)));
  }

  private *scan(file: number): Generator<PacketPlace> {
    let count = 0;
    for (let at = 0; at < this.size;) {
      if (++count > mostPackets) throw this.invalid(`more than ${mostPackets} packets`);
      const head = new Head(this.bytesAt(file, at, Math.min(headBytes, this.size - at)), this.path, at);
      const outer = head.block();
      const packetEnd = at + head.at + outer.bytes;
      if (outer.field !== 1) throw this.invalid(`field ${outer.field} at byte ${at} is no packet`);
      if (packetEnd > this.size)
        throw this.invalid(`the packet at byte ${at} ends ${packetEnd - this.size} bytes behind the file`);
      if (outer.bytes > mostPacketBytes) throw this.invalid(`the packet at byte ${at} has ${outer.bytes} bytes`);
      const inner = outer.bytes === 0 ? { field: 0, bytes: 0 } : head.block();
      const offset = at + head.at;
      if (offset + inner.bytes !== packetEnd) throw this.invalid(`the packet at byte ${at} does not have one content`);
      if (inner.field !== 0) yield { field: inner.field, offset, bytes: inner.bytes };
      at = packetEnd;
    }
  }

  private reading<T>(work: (file: number) => T): T {
    const file = openSync(this.path, 'r');
    try {
      return work(file);
    } finally {
      closeSync(file);
    }
  }

  private bytesAt(file: number, offset: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes);
    for (let have = 0; have < bytes;) {
      const read = readSync(file, buffer, have, bytes - have, offset + have);
      if (read === 0) throw this.invalid(`it ends at byte ${offset + have}, within a packet`);
      have += read;
    }
    return buffer;
  }

  private invalid(what: string): Error {
    return invalidEvents(this.path, what);
  }
}

/** Reads keys and lengths at the beginning of a packet. */
class Head {
  at = 0;

  constructor(
    private readonly buffer: Buffer,
    private readonly path: string,
    private readonly offset: number,
  ) {}

  block(): { field: number; bytes: number } {
    const key = this.varint();
    if ((key & 7) !== 2) throw invalidEvents(this.path, `key ${key} at byte ${this.offset} is of no message`);
    return { field: Math.floor(key / 8), bytes: this.varint() };
  }

  private varint(): number {
    let value = 0;
    for (let shift = 0; shift < 42; shift += 7) {
      const byte = this.buffer[this.at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw invalidEvents(this.path, `the number at byte ${this.offset} has no end`);
  }
}
