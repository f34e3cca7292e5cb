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

/** Linear interpolation between the two nearest ranks. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

/**
 * Between two order statistics: whatever the distribution, the median lies between the k-th sample from below and from above with
 * probability 1 - 2 P(B < k), where B counts heads in as many coin throws as there are samples.
 */
export function medianInterval(sorted: readonly number[]): Interval | null {
  const rank = intervalRank(sorted.length);
  const [low, high] = [sorted[rank - 1], sorted[sorted.length - rank]];
  return rank === 0 || low === undefined || high === undefined ? null : { low, high };
}

/** Probability that may be left outside on each side. */
const tail = 0.025;
/** Above, 2^-n is no number of JavaScript, and the normal approximation is exact enough. */
const exactUpTo = 1000;

/** The greatest k for which the interval still has its confidence; 0 where there is none. */
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
