import { closeSync, openSync, writeSync } from 'node:fs';
import { Root } from 'protobufjs/light';
import { Encoder } from './encoder';
import { shownName, type Annotation, type EventDetails, type Time, type TimelineWriter } from './timeline-writer';
import { traceProto } from './trace-proto';

const packets = Root.fromJSON(traceProto).lookupType('Trace');

const packetFields = { timestamp: 8, trustedPacketSequenceId: 10, trackEvent: 11, sequenceFlags: 13 } as const;
const eventFields = {
  ...{ debugAnnotations: 4, type: 9, nameIid: 10, trackUuid: 11, categories: 22, counterValue: 30 },
  ...{ flowIds: 47, terminatingFlowIds: 48 },
} as const;
const annotationFields = { nameIid: 1, uintValue: 3, intValue: 4, stringValue: 6, pointerValue: 7 } as const;
const mostPending = 1 << 18;

const eventTypes = { begin: 1, end: 2, instant: 3, counter: 4 } as const;
const sequence = 1;
/** Names interned earlier are not valid in this sequence. */
const stateCleared = 1;
const needsState = 2;
/** Child tracks are ordered by their ranks. */
const explicitOrder = 3;

/**
 * Writes a trace for https://ui.perfetto.dev packet by packet, so that memory does not grow with the trace. Times are
 * nanoseconds. Slices of one track follow each other or nest; overlapping slices belong on separate tracks.
 */
export class PerfettoWriter implements TimelineWriter {
  private readonly file: number;
  private readonly pending = new Encoder();
  private readonly eventBytes = new Encoder();
  private readonly partBytes = new Encoder();
  private nextTrack = 1n;
  private readonly names = new Map<string, number>();
  private readonly annotationNames = new Map<string, number>();
  private isFirst = true;

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  /** A group of tracks; `pid` is made up if there is no process. */
  process(pid: number, name: string, rank?: number): bigint {
    const order = rank === undefined ? {} : { siblingOrderRank: rank };
    const shown = shownName(name);
    return this.describe({ name: shown, ...order, process: { pid, processName: shown } });
  }

  /** A track below another one; `rank` orders it among its siblings. */
  track(parent: bigint, name: string, rank = 0): bigint {
    return this.describe({
      name: shownName(name),
      parentUuid: long(parent),
      childOrdering: explicitOrder,
      siblingOrderRank: rank,
    });
  }

  counter(parent: bigint, name: string, unit: string, rank = 0): bigint {
    return this.describe({ name, parentUuid: long(parent), siblingOrderRank: rank, counter: { unitName: unit } });
  }

  slice(track: bigint, name: string, begin: Time, end: Time, details: EventDetails = {}): void {
    this.named(track, eventTypes.begin, begin, name, details);
    this.event(track, eventTypes.end);
    this.eventPacket(end);
  }

  instant(track: bigint, name: string, at: Time, details: EventDetails = {}): void {
    this.named(track, eventTypes.instant, at, name, details);
  }

  value(counter: bigint, at: Time, value: bigint): void {
    this.event(counter, eventTypes.counter).number(eventFields.counterValue, value);
    this.eventPacket(at);
  }

  close(): void {
    this.flush(0);
    closeSync(this.file);
  }

  private describe(descriptor: object): bigint {
    const uuid = this.nextTrack++;
    this.packet({ trackDescriptor: { uuid: long(uuid), ...descriptor } });
    return uuid;
  }

  private named(track: bigint, type: number, at: Time, name: string, details: EventDetails): void {
    const { category, annotations = {}, flows = [], endsFlows = [] } = details;
    const iid = this.interned(this.names, 'eventNames', shownName(name));
    const entries = Object.entries(annotations).map(
      ([key, value]) => [this.interned(this.annotationNames, 'debugAnnotationNames', key), value] as const,
    );
    const event = this.event(track, type);
    event.number(eventFields.nameIid, iid);
    if (category !== undefined) event.text(eventFields.categories, category);
    for (const [key, value] of entries) event.message(eventFields.debugAnnotations, this.annotation(key, value));
    for (const flow of flows) event.fixed64(eventFields.flowIds, flow);
    for (const flow of endsFlows) event.fixed64(eventFields.terminatingFlowIds, flow);
    this.eventPacket(at);
  }

  private annotation(name: number, value: Annotation): Encoder {
    const bytes = this.partBytes;
    bytes.reset();
    bytes.number(annotationFields.nameIid, name);
    if (typeof value === 'string') bytes.text(annotationFields.stringValue, value);
    else if (typeof value === 'object') bytes.number(annotationFields.pointerValue, value.pointer);
    else if (value < 0) bytes.number(annotationFields.intValue, BigInt(value));
    else bytes.number(annotationFields.uintValue, value);
    return bytes;
  }

  /** Writes a name once and returns its number. */
  private interned(names: Map<string, number>, kind: 'eventNames' | 'debugAnnotationNames', name: string): number {
    const known = names.get(name);
    if (known !== undefined) return known;
    const iid = names.size + 1;
    names.set(name, iid);
    this.packet({ internedData: { [kind]: [{ iid, name }] } });
    return iid;
  }

  /** Begins an event; `eventPacket` writes it. */
  private event(track: bigint, type: number): Encoder {
    const event = this.eventBytes;
    event.reset();
    event.number(eventFields.type, type);
    event.number(eventFields.trackUuid, track);
    return event;
  }

  // Encoded by hand: there are millions of event packets, and an object for each would be slow.
  private eventPacket(timestamp: Time): void {
    const packet = this.partBytes;
    packet.reset();
    packet.number(packetFields.timestamp, timestamp);
    packet.number(packetFields.trustedPacketSequenceId, sequence);
    packet.message(packetFields.trackEvent, this.eventBytes);
    packet.number(packetFields.sequenceFlags, this.sequenceFlags());
    this.pending.message(1, packet);
    this.flush(mostPending);
  }

  private packet(packet: object): void {
    const message = {
      packet: [{ trustedPacketSequenceId: sequence, sequenceFlags: this.sequenceFlags(), ...packet }],
    };
    // A trace is the concatenation of its packets, and so is a concatenation of one-packet traces.
    this.pending.raw(packets.encode(packets.fromObject(message)).finish());
    this.flush(mostPending);
  }

  private sequenceFlags(): number {
    const flags = this.isFirst ? stateCleared | needsState : needsState;
    this.isFirst = false;
    return flags;
  }

  private flush(most: number): void {
    if (this.pending.length <= most) return;
    const bytes = this.pending.written;
    for (let written = 0; written < bytes.length;) written += writeSync(this.file, bytes, written);
    this.pending.reset();
  }
}

/** A 64-bit number in the form that protobufjs takes. */
function long(value: bigint): object {
  const bits = BigInt.asUintN(64, value);
  return { low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: value >= 0n };
}
