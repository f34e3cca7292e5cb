import type { Interval, Statistics } from './result';

export function statistics(samples: readonly number[]): Statistics {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    count: sorted.length,
    min: sorted[0] ?? Number.NaN,
    p10: quantile(sorted, 0.1),
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    max: sorted.at(-1) ?? Number.NaN,
    spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2,
    ci95: medianInterval(sorted),
  };
}

/** Quantile by linear interpolation between the two nearest ranks. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

/**
 * Distribution-free interval of the median between two order statistics. The median lies between the k-th samples from
 * below and above with probability 1 - 2 P(B < k), where B counts the heads in as many coin tosses as there are
 * samples.
 */
export function medianInterval(sorted: readonly number[]): Interval | null {
  const rank = intervalRank(sorted.length);
  const [low, high] = [sorted[rank - 1], sorted[sorted.length - rank]];
  return rank === 0 || low === undefined || high === undefined ? null : { low, high };
}

/** Probability that may remain outside on each side. */
const tail = 0.025;
/** Sample count above which 2^-n underflows; the normal approximation is then accurate enough. */
const exactUpTo = 1000;

/** Largest k whose interval still has the confidence; 0 if there is none. */
export function intervalRank(count: number): number {
  if (count > exactUpTo) return Math.floor((count - 1.96 * Math.sqrt(count)) / 2);
  let probability = 2 ** -count;
  let below = probability;
  let rank = 0;
  while (below <= tail && rank < count) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    below += probability;
  }
  return rank;
}
