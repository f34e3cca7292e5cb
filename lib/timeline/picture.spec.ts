import { pictureOf } from './picture';
import { Summary } from './summary';

const drawn = (...places: [rank: number, track: string, lane: number][]) => {
  const summary = new Summary();
  for (const [rank, track, lane] of places) summary.slice({ rank, track, lane, name: 'read', start: 0, end: 1 });
  const spec = pictureOf(summary, 'ns') as unknown as {
    title: string;
    data: { values: { row: string }[] };
    encoding: { y: { sort: string[] }; color: object; stroke: object };
  };
  return { ...spec, rows: spec.encoding.y.sort };
};

describe('pictureOf', () => {
  it('labels rows by what differs, in the order of numbers, and has the rest in its title', () => {
    const { title, rows, data } = drawn([0, 'SE 0, CU 3', 10], [0, 'SE 0, CU 3', 9], [0, 'SE 0, CU 12', 0]);
    expect(rows).toEqual(['CU 3, lane 9', 'CU 3, lane 10', 'CU 12, lane 0']);
    expect(title).toBe('3 slices of rank 0, SE 0');
    expect(data.values.map(({ row }) => row)).toEqual(['CU 3, lane 10', 'CU 3, lane 9', 'CU 12, lane 0']);
  });

  it('leaves out nothing where names have another number of parts, or there is one row', () => {
    expect(drawn([0, 'SM 1', 0], [0, 'SM 1, warp 2', 0]).rows).toEqual([
      'rank 0, SM 1, lane 0',
      'rank 0, SM 1, warp 2, lane 0',
    ]);
    expect(drawn([2, 'SM 1', 0])).toMatchObject({ rows: ['rank 2, SM 1, lane 0'], title: '1 slices' });
  });

  it('has a legend, which outlines of another colour would take away', () => {
    const { color, stroke } = drawn([0, 'SM 1', 0]).encoding;
    expect(stroke).toEqual(color);
    expect(color).not.toHaveProperty('legend');
  });
});
