export interface Statistics {
  count: number;
  min: number;
  median: number;
  max: number;
  /** Half the distance between the quartiles. */
  spread: number;
}

export function statistics(samples: readonly number[]): Statistics {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    count: sorted.length,
    min: sorted[0] ?? Number.NaN,
    median: quantile(sorted, 0.5),
    max: sorted.at(-1) ?? Number.NaN,
    spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2,
  };
}

/** Linear interpolation between the two nearest ranks. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}
