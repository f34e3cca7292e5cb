import { intervalRank, medianInterval, statistics } from './statistics';

describe('statistics', () => {
  it.each([
    [[5], { count: 1, min: 5, median: 5, max: 5, spread: 0 }],
    [[3, 1, 2], { count: 3, min: 1, median: 2, max: 3, spread: 0.5 }],
    [[4, 1, 3, 2], { count: 4, min: 1, median: 2.5, max: 4, spread: 0.75 }],
    [[10, 9, 100], { count: 3, min: 9, median: 10, max: 100, spread: 22.75 }],
  ])('of %j', (samples, expected) => {
    expect(statistics(samples)).toMatchObject(expected);
  });

  it('gives the tenth and the ninetieth percentile', () => {
    const samples = Array.from({ length: 101 }, (_, index) => 1000 - index);
    expect(statistics(samples)).toMatchObject({ p10: 910, median: 950, p90: 990 });
  });

  // Ranks from the table of the sign test (two-sided, 5%).
  it.each([
    [1, 0],
    [5, 0],
    [6, 1],
    [8, 1],
    [9, 2],
    [12, 3],
    [15, 4],
    [20, 6],
    [25, 8],
    [30, 10],
    [50, 18],
    [100, 40],
  ])('takes for %i samples the rank %i from each end as the interval of the median', (count, rank) => {
    expect(intervalRank(count)).toBe(rank);
  });

  it('goes over to the normal approximation without a step', () => {
    expect(intervalRank(1001) - intervalRank(1000)).toBeLessThanOrEqual(1);
    expect(intervalRank(1001)).toBeGreaterThanOrEqual(intervalRank(1000));
  });

  it('holds the true median in about 95 of 100 intervals, of a distribution that is not normal', () => {
    let state = 1;
    const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
    let held = 0;
    for (let round = 0; round < 2000; round += 1) {
      const sorted = Array.from({ length: 30 }, () => -Math.log(random())).sort((a, b) => a - b);
      const interval = medianInterval(sorted);
      if (interval && interval.low <= Math.LN2 && Math.LN2 <= interval.high) held += 1;
    }
    // The exact coverage of ranks 10 and 21 of 30 is 95.7%.
    expect(held / 2000).toBeGreaterThan(0.94);
    expect(held / 2000).toBeLessThan(0.975);
  });
});
