import { closeSync, openSync, writeSync } from 'node:fs';
import { Root } from 'protobufjs/light';
import { traceProto } from './trace-proto';

const packets = Root.fromJSON(traceProto).lookupType('Trace');

const eventTypes = { begin: 1, end: 2, instant: 3, counter: 4 } as const;
const sequence = 1;
/** What was interned before is none of this sequence. */
const stateCleared = 1;
const needsState = 2;
/** Tracks below one are in the order of their ranks. */
const explicitOrder = 3;

type Annotation = bigint | string;

export interface EventDetails {
  readonly category?: string;
  readonly annotations?: Readonly<Record<string, Annotation>>;
  /** Arrows from and to other events with the same number. */
  readonly flows?: readonly bigint[];
  readonly endsFlows?: readonly bigint[];
}

/**
 * Writes a trace for https://ui.perfetto.dev, packet by packet: what is held does not grow with it. Times are nanoseconds. Slices of
 * one track follow each other or nest; what overlaps belongs on tracks of its own.
 */
export class PerfettoWriter {
  private readonly file: number;
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private nextTrack = 1n;
  private readonly names = new Map<string, bigint>();
  private isFirst = true;

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  /** A group of tracks; numbers are made up where there is no process. */
  process(pid: number, name: string): bigint {
    return this.describe({ name, process: { pid, processName: name } });
  }

  /** A track below another one; `rank` orders the tracks below it. */
  track(parent: bigint, name: string, rank = 0): bigint {
    return this.describe({ name, parentUuid: long(parent), childOrdering: explicitOrder, siblingOrderRank: rank });
  }

  counter(parent: bigint, name: string, unit: string, rank = 0): bigint {
    return this.describe({ name, parentUuid: long(parent), siblingOrderRank: rank, counter: { unitName: unit } });
  }

  slice(track: bigint, name: string, begin: bigint, end: bigint, details: EventDetails = {}): void {
    this.event(track, eventTypes.begin, begin, this.named(name, details));
    this.event(track, eventTypes.end, end, {});
  }

  instant(track: bigint, name: string, at: bigint, details: EventDetails = {}): void {
    this.event(track, eventTypes.instant, at, this.named(name, details));
  }

  value(counter: bigint, at: bigint, value: bigint): void {
    this.event(counter, eventTypes.counter, at, { counterValue: long(value) });
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private describe(descriptor: object): bigint {
    const uuid = this.nextTrack++;
    this.packet({ trackDescriptor: { uuid: long(uuid), ...descriptor } });
    return uuid;
  }

  /** A name is written once; then it is a number. */
  private named(name: string, { category, annotations = {}, flows = [], endsFlows = [] }: EventDetails): object {
    let iid = this.names.get(name);
    if (iid === undefined) {
      iid = BigInt(this.names.size + 1);
      this.names.set(name, iid);
      this.packet({ internedData: { eventNames: [{ iid: long(iid), name }] } });
    }
    return {
      nameIid: long(iid),
      ...(category === undefined ? {} : { categories: [category] }),
      debugAnnotations: Object.entries(annotations).map(([key, value]) =>
        typeof value === 'bigint' ? { name: key, uintValue: long(value) } : { name: key, stringValue: value },
      ),
      flowIds: flows.map(long),
      terminatingFlowIds: endsFlows.map(long),
    };
  }

  private event(track: bigint, type: number, timestamp: bigint, details: object): void {
    this.packet({ timestamp: long(timestamp), trackEvent: { type, trackUuid: long(track), ...details } });
  }

  private packet(packet: object): void {
    const sequenceFlags = this.isFirst ? stateCleared | needsState : needsState;
    this.isFirst = false;
    const message = { packet: [{ trustedPacketSequenceId: sequence, sequenceFlags, ...packet }] };
    // A trace is its packets one after the other: so is what several traces of one packet are together.
    const bytes = packets.encode(packets.fromObject(message)).finish();
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.pendingBytes > 1 << 18) this.flush();
  }

  private flush(): void {
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    for (let written = 0; written < bytes.length;) written += writeSync(this.file, bytes, written);
  }
}

/** As protobufjs takes numbers of 64 bits. */
function long(value: bigint): object {
  const bits = BigInt.asUintN(64, value);
  return { low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: value >= 0n };
}
