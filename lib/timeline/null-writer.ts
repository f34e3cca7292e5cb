import type { TimelineWriter } from '../perfetto/timeline-writer';

/** Discards everything, for callers who only need the summary of a timeline. */
export const nullWriter: TimelineWriter = {
  process: () => 0n,
  track: () => 0n,
  slice: () => undefined,
  instant: () => undefined,
  close: () => undefined,
};
