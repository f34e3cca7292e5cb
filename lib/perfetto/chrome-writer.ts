import { closeSync, openSync, writeSync } from 'node:fs';
import { shownName, type Annotation, type EventDetails, type Time, type TimelineWriter } from './timeline-writer';

const mostPending = 1 << 18;

/**
 * Writes the JSON of chrome://tracing, which Perfetto reads as well. Its times are microseconds: they are written as
 * text with three decimals, so that nanoseconds stay exact up to 2^53 of them. Processes and threads are numbers, and
 * their names are metadata.
 */
export class ChromeWriter implements TimelineWriter {
  private readonly file: number;
  private pending: string[] = ['{"traceEvents":['];
  private pendingLength = 0;
  private separator = '\n';
  private nextThread = 1;
  private readonly tracks = new Map<bigint, { pid: number; tid: number; name: string }>();

  constructor(
    path: string,
    /** Metadata written after the events. */
    private readonly metadata: () => object,
  ) {
    this.file = openSync(path, 'w');
  }

  process(pid: number, name: string, rank = pid): bigint {
    this.metadataEvent('process_name', pid, 0, { name: shownName(name) });
    this.metadataEvent('process_sort_index', pid, 0, { sort_index: rank });
    const id = -BigInt(pid);
    this.tracks.set(id, { pid, tid: 0, name: '' });
    return id;
  }

  /** Writes a track as a thread: the format has no nested tracks, so its name includes its parent's. */
  track(parent: bigint, name: string, rank = 0): bigint {
    const { pid, name: of } = this.tracks.get(parent) ?? { pid: 0, name: '' };
    const tid = this.nextThread++;
    const id = BigInt(tid);
    const whole = of === '' ? shownName(name) : `${of}, ${shownName(name)}`;
    this.tracks.set(id, { pid, tid, name: whole });
    this.metadataEvent('thread_name', pid, tid, { name: whole });
    this.metadataEvent('thread_sort_index', pid, tid, { sort_index: rank });
    return id;
  }

  slice(track: bigint, name: string, begin: Time, end: Time, details: EventDetails = {}): void {
    const times = `"ts":${microseconds(begin)},"dur":${microseconds(difference(end, begin))}`;
    this.event(track, `"ph":"X","name":${JSON.stringify(shownName(name))},${times}`, details);
    // A flow starts and ends in the slice written before it; "e" binds it to the enclosing slice, not the next one.
    for (const flow of details.flows ?? []) this.flow(track, 's', flow, begin);
    for (const flow of details.endsFlows ?? []) this.flow(track, 'f', flow, begin);
  }

  instant(track: bigint, name: string, at: Time, details: EventDetails = {}): void {
    this.event(track, `"ph":"i","s":"t","name":${JSON.stringify(shownName(name))},"ts":${microseconds(at)}`, details);
  }

  close(): void {
    this.text(`\n],\n"metadata":${JSON.stringify(this.metadata())}}\n`);
    this.flush();
    closeSync(this.file);
  }

  private flow(track: bigint, phase: 's' | 'f', id: Time, at: Time): void {
    const binding = phase === 'f' ? '"bp":"e",' : '';
    this.event(track, `"ph":"${phase}",${binding}"id":${id},"name":"data","ts":${microseconds(at)}`, {
      category: 'flow',
    });
  }

  private event(track: bigint, fields: string, { category = 'event', annotations = {} }: EventDetails): void {
    const { pid, tid } = this.tracks.get(track) ?? { pid: 0, tid: 0 };
    const args = Object.entries(annotations).map(([key, value]) => `${JSON.stringify(key)}:${annotation(value)}`);
    this.line(
      `{${fields},"cat":${JSON.stringify(category)},"pid":${pid},"tid":${tid}${args.length > 0 ? `,"args":{${args.join(',')}}` : ''}}`,
    );
  }

  private metadataEvent(name: string, pid: number, tid: number, args: object): void {
    this.line(`{"ph":"M","name":"${name}","pid":${pid},"tid":${tid},"args":${JSON.stringify(args)}}`);
  }

  private line(text: string): void {
    this.text(`${this.separator}${text}`);
    this.separator = ',\n';
  }

  private text(text: string): void {
    this.pending.push(text);
    this.pendingLength += text.length;
    if (this.pendingLength > mostPending) this.flush();
  }

  private flush(): void {
    const bytes = Buffer.from(this.pending.join(''), 'utf8');
    for (let written = 0; written < bytes.length;) written += writeSync(this.file, bytes, written);
    this.pending = [];
    this.pendingLength = 0;
  }
}

/** Nanoseconds as microseconds: 1234567 is 1234.567. */
function microseconds(time: Time): string {
  if (typeof time === 'bigint') return `${time / 1000n}.${String(time % 1000n).padStart(3, '0')}`;
  return `${Math.floor(time / 1000)}.${String(time % 1000).padStart(3, '0')}`;
}

function difference(end: Time, begin: Time): Time {
  return typeof end === 'number' && typeof begin === 'number' ? end - begin : BigInt(end) - BigInt(begin);
}

/** A number that a double cannot hold is written as text. */
function annotation(value: Annotation): string {
  if (typeof value === 'object') return `"0x${BigInt.asUintN(64, value.pointer).toString(16)}"`;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
