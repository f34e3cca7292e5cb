import { rowTicks } from './differences';

describe('the rows of a map of differences', () => {
  it.each([
    [2, [0, 1]],
    [16, Array.from({ length: 16 }, (_, row) => row)],
    [17, [0, 2, 4, 6, 8, 10, 12, 14, 16]],
    [33, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]],
  ])('of %i are labelled where one starts, and the lower edge of the last is not', (rows, ticks) => {
    expect(rowTicks(rows)).toEqual(ticks);
  });
});
