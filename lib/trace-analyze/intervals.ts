import { closeSync, openSync, readSync } from 'node:fs';

export interface Interval {
  readonly block: bigint;
  readonly processor: bigint;
  readonly lane: bigint;
  readonly start: bigint;
  readonly end: bigint;
}

const words = 5;

/**
 * Reads the intervals that kernloop-trace wrote beside its events: five u64 per block, sorted by processor and start.
 */
export function* readIntervals(path: string): Generator<Interval> {
  const file = openSync(path, 'r');
  try {
    const buffer = new BigUint64Array(words * 8192);
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      for (let at = 0; at < read / 8; at += words) {
        const [block = 0n, processor = 0n, lane = 0n, start = 0n, end = 0n] = buffer.subarray(at, at + words);
        yield { block, processor, lane, start, end };
      }
    }
  } finally {
    closeSync(file);
  }
}

/** Offset that is subtracted from the clock of each processor. */
export function clockOrigins(
  processors: readonly { readonly id: number; readonly first: string }[],
  alignClocks: boolean,
): (processor: bigint) => bigint {
  const firsts = new Map(processors.map(({ id, first }) => [BigInt(id), BigInt(first)]));
  const least = [...firsts.values()].reduce((a, b) => (a < b ? a : b), firsts.values().next().value ?? 0n);
  return (processor) => (alignClocks ? (firsts.get(processor) ?? 0n) : least);
}
