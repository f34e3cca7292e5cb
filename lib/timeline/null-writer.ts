import type { TimelineWriter } from '../perfetto/timeline-writer';

/** For those who only want to know what is in a timeline. */
export const nullWriter: TimelineWriter = {
  process: () => 0n,
  track: () => 0n,
  slice: () => undefined,
  instant: () => undefined,
  close: () => undefined,
};
