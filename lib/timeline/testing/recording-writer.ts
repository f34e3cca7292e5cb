import type { EventDetails, Time, TimelineWriter } from '../../perfetto/timeline-writer';

export interface RecordedSlice {
  readonly process: string;
  readonly track: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly details: EventDetails;
}

/** Records everything that a timeline would write. */
export class RecordingWriter implements TimelineWriter {
  readonly slices: RecordedSlice[] = [];
  readonly instants: RecordedSlice[] = [];
  private readonly tracks: { process: string; track: string }[] = [];

  process(_: number, name: string): bigint {
    return BigInt(this.tracks.push({ process: name, track: '' }) - 1);
  }

  track(parent: bigint, name: string): bigint {
    const { process, track } = this.of(parent);
    return BigInt(this.tracks.push({ process, track: track === '' ? name : `${track}/${name}` }) - 1);
  }

  slice(track: bigint, name: string, begin: Time, end: Time, details: EventDetails = {}): void {
    this.slices.push({ ...this.of(track), name, start: Number(begin), end: Number(end), details });
  }

  instant(track: bigint, name: string, at: Time, details: EventDetails = {}): void {
    this.instants.push({ ...this.of(track), name, start: Number(at), end: Number(at), details });
  }

  close(): void {
    this.tracks.length = 0;
  }

  private of(track: bigint): { process: string; track: string } {
    return this.tracks[Number(track)] ?? { process: '', track: '' };
  }
}
