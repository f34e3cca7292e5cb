import { statistics } from './statistics';

describe('statistics', () => {
  it.each([
    [[5], { count: 1, min: 5, median: 5, max: 5, spread: 0 }],
    [[3, 1, 2], { count: 3, min: 1, median: 2, max: 3, spread: 0.5 }],
    [[4, 1, 3, 2], { count: 4, min: 1, median: 2.5, max: 4, spread: 0.75 }],
    [[10, 9, 100], { count: 3, min: 9, median: 10, max: 100, spread: 22.75 }],
  ])('of %j', (samples, expected) => {
    expect(statistics(samples)).toEqual(expected);
  });
});
