import { shortRecordsOf, shortRecordWords } from './short-records';

const range = (records: { bytes: number; offset: number; count: number }[]) => ({
  ...{ region: 'r2', offset: 0, dtype: 'u32', count: 64, min: [], max: [], permuted: true },
  records: records.map((one) => ({ ...one, order: 0, certain: true })),
});
const given = (bytes: number, target = 'r2') => [{ target, offset: 0, size: 256, bytes }];

describe('a record length below one that the self-check found', () => {
  const found = { varying: [range([{ bytes: 8, offset: 0, count: 32 }])] };

  it('is named, and what it leaves unjudged is told', () => {
    expect(shortRecordsOf(given(4), found)).toEqual([{ target: 'r2', bytes: 4, found_bytes: 8 }]);
    expect(shortRecordWords([{ short_records: shortRecordsOf(given(4), found) }])).toEqual([
      'NOT judged: which parts of records of 8 bytes in r2 belong together (--record or record_bytes gives 4)',
    ]);
  });

  it.each([
    ['the found length', given(8)],
    ['a length for another array', given(4, 'r3')],
    ['a length behind the records', [{ target: 'r2', offset: 256, size: 64, bytes: 4 }]],
  ])('is not %s', (_name, records) => {
    expect(shortRecordsOf(records, found)).toEqual([]);
  });

  it('is named where the self-check left two lengths open', () => {
    const open = {
      varying: [
        range([
          { bytes: 4, offset: 0, count: 64 },
          { bytes: 8, offset: 0, count: 32 },
        ]),
      ],
    };
    expect(shortRecordsOf(given(4), open)).toHaveLength(1);
    expect(shortRecordWords([{}])).toEqual([]);
  });
});
