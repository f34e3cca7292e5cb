import { countOf, dispatchesSchema, formatRanges, parseDispatches } from './dispatches';

describe('which dispatches', () => {
  it.each([
    ['3', [[3, 3]]],
    ['3-7', [[3, 7]]],
    [
      '2,5,9-',
      [
        [2, 2],
        [5, 5],
        [9, null],
      ],
    ],
    [
      '9-12, 1',
      [
        [1, 1],
        [9, 12],
      ],
    ],
    [
      '1-3,4,6',
      [
        [1, 4],
        [6, 6],
      ],
    ],
    ['5-,1-9', [[1, null]]],
    ['2-9,4-5', [[2, 9]]],
  ])('reads %s', (text, ranges) => {
    expect(parseDispatches(text)).toEqual({ ranges });
  });

  it.each([
    ['last', 1],
    ['last:3', 3],
  ])('reads %s', (text, last) => {
    expect(parseDispatches(text)).toEqual({ last });
  });

  it.each(['', '0', '0-3', '7-3', '-1', '1,,2', 'a', '1-2-3', 'last:0', 'last,1', '1.5', '1e3'])(
    'rejects "%s"',
    (text) => {
      expect(parseDispatches(text)).toBeUndefined();
    },
  );

  it.each<[unknown, string | undefined]>([
    ['2,5,9-', '2,5,9-'],
    [9, '9'],
    [[1, 9], '1,9'],
    [0, undefined],
    [1.5, undefined],
    [[], undefined],
    [[1, 0], undefined],
    [['last'], undefined],
    [Array.from({ length: 65 }, (_, i) => 2 * i + 1), undefined],
    [true, undefined],
  ])('takes %j in a file as %j', (value, text) => {
    expect(dispatchesSchema.safeParse(value).data).toBe(text);
  });

  it('rejects more ranges than an agent takes', () => {
    const odd = (count: number) => Array.from({ length: count }, (_, i) => 2 * i + 1).join(',');
    expect(parseDispatches(odd(64))).toBeDefined();
    expect(parseDispatches(odd(65))).toBeUndefined();
  });

  it('counts them where they have an end', () => {
    expect(
      countOf({
        ranges: [
          [2, 2],
          [5, 9],
        ],
      }),
    ).toBe(6);
    expect(
      countOf({
        ranges: [
          [2, 2],
          [5, null],
        ],
      }),
    ).toBeNull();
    expect(countOf({ last: 4 })).toBe(4);
  });

  it('writes them as they are given', () => {
    expect(
      formatRanges([
        [2, 2],
        [5, 9],
        [12, null],
      ]),
    ).toBe('2,5-9,12-');
  });
});
