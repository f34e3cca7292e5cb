import { inBoth, rangesOf } from './dropped';

const r = (offset: number, bytes: number, region = 'r0') => ({ region, offset, bytes });

describe('ranges of regions', () => {
  it('are unfolded one by one, without those of variables', () => {
    expect(
      rangesOf([
        { region: 'r0', offset: 8, bytes: 4, count: 3, stride: 16 },
        r(99, 1),
        { variable: 'v', offset: 0, bytes: 1 },
      ]),
    ).toEqual([r(8, 4), r(24, 4), r(40, 4), r(99, 1)]);
  });

  it('have in common what a set of their bytes has', () => {
    const bytes = (ranges: readonly ReturnType<typeof r>[]): string[] =>
      ranges.flatMap(({ region, offset, bytes: size }) =>
        Array.from({ length: size }, (_, i) => `${region} ${offset + i}`),
      );
    let state = 7;
    const random = (below: number): number => (state = (state * 48271) % 2147483647) % below;
    const some = () => {
      const ranges = [];
      for (const region of ['r0', 'r1'])
        for (let at = random(5); at < 60; at += 1 + random(9)) {
          const size = 1 + random(6);
          ranges.push(r(at, size, region));
          at += size;
        }
      return ranges;
    };
    for (let round = 0; round < 200; round += 1) {
      const [a, b] = [some(), some()];
      const other = new Set(bytes(b));
      expect(bytes(inBoth(a, b))).toEqual(bytes(a).filter((byte) => other.has(byte)));
    }
  });
});
