import { formatBytes, formatCount } from './format';

/** Progress of a piece of work. */
export interface Progress {
  /** Action in a word or two: `captured`, `sent`. */
  readonly what: string;
  readonly done: number;
  /** Total amount, if known. */
  readonly total?: number;
  /** Unit: `bytes`, or a plural such as `chunks`, `translation units`. */
  readonly unit: string;
  /** Bytes of the finished items, if items are counted. */
  readonly bytes?: number;
}

/** Minimum time before a rate is meaningful. */
const settledMs = 1000;

/** Formats `captured 12.0 MiB of 40.0 MiB (30 %), 6.0 MiB/s, 5 s left`, with the rate counted from `from`. */
export function progressText({ what, done, total, unit, bytes }: Progress, elapsedMs: number, from: Progress): string {
  if (unit === '%') return `${what} ${done} %`;
  const areBytes = unit === 'bytes';
  const amount = (value: number): string => (areBytes ? formatBytes(value) : formatCount(value));
  const of = total === undefined ? '' : ` of ${amount(total)}`;
  const share = total ? ` (${Math.floor((100 * Math.min(done, total)) / total)} %)` : '';
  const parts = [`${what} ${amount(done)}${of}${areBytes ? '' : ` ${unit}`}${share}`];
  const size = areBytes ? done : bytes;
  if (!areBytes && bytes !== undefined) parts.push(formatBytes(bytes));
  const moved = (size ?? 0) - ((areBytes ? from.done : from.bytes) ?? 0);
  if (elapsedMs >= settledMs && moved > 0) parts.push(`${formatBytes(Math.round((1000 * moved) / elapsedMs))}/s`);
  const more = done - from.done;
  if (elapsedMs >= settledMs && total !== undefined && more > 0 && done < total) {
    parts.push(`${duration(((total - done) * elapsedMs) / more)} left`);
  }
  return parts.join(', ');
}

/** `5 s`, `2 min 5 s`, `3 h 2 min`. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${formatCount(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
}
