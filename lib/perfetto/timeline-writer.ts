/** Nanoseconds. */
export type Time = bigint | number;

/** Shown as hex. */
interface Pointer {
  readonly pointer: bigint;
}

export type Annotation = bigint | number | string | Pointer;

export interface EventDetails {
  readonly category?: string;
  readonly annotations?: Readonly<Record<string, Annotation>>;
  /** Arrows from and to other events with the same number. */
  readonly flows?: readonly Time[];
  readonly endsFlows?: readonly Time[];
}

/**
 * A timeline file. Slices of one track follow each other or nest and come in the order of their starts, the outer one
 * first; overlapping slices belong on separate tracks.
 */
export interface TimelineWriter {
  /** A group of tracks; `pid` is made up if there is no process. */
  process(pid: number, name: string, rank?: number): bigint;
  /** A track below another one; `rank` orders it among its siblings. */
  track(parent: bigint, name: string, rank?: number): bigint;
  slice(track: bigint, name: string, begin: Time, end: Time, details?: EventDetails): void;
  instant(track: bigint, name: string, at: Time, details?: EventDetails): void;
  close(): void;
}

/** Viewers end a name at a zero byte, or show it as six characters. */
export function shownName(name: string): string {
  return name.replaceAll('\0', '\u2400');
}
