import { captureJsonSchema } from '../archive/capture-files';
import { kernelJsonSchema } from '../reproducer/kernel-json';
import { toleranceSchema } from '../replay/replay-events';
import { captureJson, kernelJson, someDigest } from '../testing/workspace';
import { argumentNames, comparedRegions } from './regions';
import { idsOnly, regionNames } from './region-names';
import { excerpt, regionTable } from './region-text';

const arg = (index: number, name: string) => ({
  ...{ index, name, type: '*fp32', declared: '*fp32', role: 'inout', element: 'f32' },
  ...{ offset: 8 * index, size: 8, kind: 'global_buffer' },
});
const content = { chunks: [someDigest] };
const base = 0x400000000000;
const slot = (index: number, at: number) => ({
  ...{ offset: 8 * index, size: 8, kind: 'global_buffer', region: 'r0', value: `0x${(base + at).toString(16)}` },
});

/** One allocation of 4,096 bytes: a part without an argument, then scale, then out, to which out_again also points. */
const capture = captureJsonSchema.parse(
  captureJson({
    regions: [{ id: 'r0', base: `0x${base.toString(16)}`, size: 4096, pre: content, post: content }],
    kernarg: { slots: [slot(0, 1024), slot(1, 2048), slot(2, 2048)] },
  }),
);
const config = kernelJsonSchema.parse(kernelJson({ args: [arg(0, 'scale'), arg(1, 'out'), arg(2, 'out_again')] }));

const part = (offset: number, bytes: number, newNans: number) =>
  toleranceSchema.parse({
    ...{ event: 'tolerance', region: 'r0', offset, bytes, dtype: 'f32', elements: bytes / 4, equal: 0, within: 0 },
    ...{ atol: 0, rtol: 0, ulp: 0, outside: newNans, not_finite: newNans },
    nan: { expected_only: 0, actual_only: newNans, both: 0, other: 0 },
    inf: { expected_only: 0, actual_only: 0, both: 0, other: 0 },
  });
const row = {
  event: 'compared' as const,
  region: 'r0',
  bytes: 4096,
  changed: true,
  ignored_bytes: 0,
  varying_bytes: 0,
};

describe('names of memory on the command line', () => {
  const names = regionNames(config, capture);
  const of = (offset: number, bytes: number) => names.of({ region: 'r0', offset, bytes });

  it('are those of the parameter that points there, with the distance to it', () => {
    expect([of(1024, 1024), of(2048, 2048), of(1088, 4), of(2048, 4)]).toEqual([
      'scale',
      'out, out_again',
      'scale+64',
      'out, out_again',
    ]);
  });

  it('are ids where several arrays are, or none, and for another region', () => {
    expect([of(0, 512), of(0, 4096), of(512, 1024), names.of({ region: 'r7', offset: 8, bytes: 8 })]).toEqual([
      'r0',
      'r0 (scale, out, out_again)',
      'r0+512',
      'r7+8',
    ]);
  });

  it('stay ids in text whose offsets are not those of one array, and in options', () => {
    expect(names.inText('at r0 at offset 1,024')).toBe('at r0 at offset 1,024');
    const alone = regionNames(
      kernelJsonSchema.parse(kernelJson({ args: [arg(0, 'y')] })),
      captureJsonSchema.parse(
        captureJson({
          regions: [{ id: 'r1', base: '0x1000', size: 64, pre: content, post: content }],
          kernarg: { slots: [{ offset: 0, size: 8, kind: 'global_buffer', region: 'r1', value: '0x1000' }] },
        }),
      ),
    );
    expect(alone.inText('at r1 at offset 8, r1[3], r10, --dtype r1=f32, /tmp/r1')).toBe(
      'at y at offset 8, y[3], r10, --dtype r1=f32, /tmp/r1',
    );
  });
});

describe('a row whose elements are NaN or infinite', () => {
  const cells = (nan: object, inf: object, errors: object): string[] => {
    const none = { expected_only: 0, actual_only: 0, both: 0, other: 0 };
    const met = { ...part(0, 1024, 1), nan: { ...none, ...nan }, inf: { ...none, ...inf }, ...errors };
    const [region] = comparedRegions([{ compared: [{ ...row, differing_bytes: 4 }], tolerances: [met] }]);
    const [, line = ''] = regionTable(region ? [region] : [], idsOnly);
    return line.split(/ {2,}/).slice(6, 9);
  };
  const zeros = { max_abs_error: 0, max_rel_error: 0, max_ulp_error: 0 };

  it('says NaN, not an error of 0', () => {
    expect(cells({ actual_only: 1 }, {}, zeros)).toEqual(['NaN', 'NaN', 'NaN']);
    expect(cells({ expected_only: 1 }, { actual_only: 2 }, zeros)).toEqual(['NaN', 'NaN', 'NaN']);
    expect(cells({}, { other: 1 }, zeros)).toEqual(['infinite', 'infinite', 'infinite']);
  });

  it('says it beside the greatest error of the others', () => {
    expect(cells({ actual_only: 1 }, {}, { max_abs_error: 2, max_rel_error: 0.5, max_ulp_error: 7 })).toEqual([
      '2.00, NaN',
      '0.500',
      '7',
    ]);
  });

  it('has a number where both sides are NaN', () => {
    expect(cells({ both: 3 }, { both: 1 }, zeros)).toEqual(['0.00', '0.00', '0']);
  });
});

it('counts NaN for each argument of a region that several share', () => {
  const outcome = {
    compared: [{ ...row, differing_bytes: 12 }],
    tolerances: [part(0, 1024, 1), part(1024, 1024, 2), part(2048, 2048, 3)],
  };
  const regions = comparedRegions([outcome], argumentNames(config, capture));
  expect(regions[0]?.elements.map(({ arguments: names, nan }) => [names, nan?.actual_only])).toEqual([
    [undefined, 1],
    [['scale'], 2],
    [['out', 'out_again'], 3],
  ]);
  expect(regionTable(regions).filter((line) => line.includes(': NaN:'))).toEqual([
    'r0: NaN: 0 in both, 1 only in the replay, 0 only in what the app computed',
    'scale (r0+1,024): NaN: 0 in both, 2 only in the replay, 0 only in what the app computed',
    'out, out_again (r0+2,048): NaN: 0 in both, 3 only in the replay, 0 only in what the app computed',
  ]);
});

describe('rows of several replays', () => {
  const example = (actual: number) => ({ offset: 7996, expected: 0.00928, actual });
  const met = (outside: number, error: number, actual: number) =>
    toleranceSchema.parse({
      ...{ event: 'tolerance', region: 'r0', offset: 0, bytes: 4096, dtype: 'f32', elements: 1024, within: 0 },
      ...{ atol: 0, rtol: 0, ulp: 0, equal: 1024 - outside, outside, not_finite: 0 },
      ...{ max_abs_error: error, max_rel_error: error, max_ulp_error: error },
      first_outside: [],
      ...(outside > 0 ? { worst: example(actual) } : {}),
    });
  const replayed = (replay: number, outside: number, error: number, actual: number, fill?: string) => ({
    ...{ replay, ...(fill === undefined ? {} : { fill }) },
    compared: [{ ...row, differing_bytes: 4 * outside, first_difference: outside > 0 ? 100 * replay : null }],
    tolerances: [met(outside, error, actual)],
  });
  const linesOf = (...replays: ReturnType<typeof replayed>[]): string[] => {
    const regions = comparedRegions(replays);
    return [...regionTable(regions), ...excerpt({ regions, differences: [] })];
  };

  it('have figures and places of one replay, and say what another had by its fill alone', () => {
    const lines = linesOf(replayed(1, 2, 0.00928, 0), replayed(2, 2, 1.98e36, 1.98e36, 'huge'));
    expect(lines[1]).toContain('0.00928');
    expect(lines[1]).not.toContain('e+36');
    expect(lines.at(-1)).toContain('expected 0.00928, got 0, the greatest error');
    expect(lines.slice(2, -1)).toEqual([
      'r0: row and places are of replay 1; others have max abs 1.98e+36: only where memory that the captured code overwrites without reading it began with other values (fill "huge")',
    ]);
  });

  it('say so where the difference exists only by a fill', () => {
    const lines = linesOf(replayed(2, 2, 1.98e36, 1.98e36, 'opposite'), replayed(1, 0, 0, 0));
    expect(lines.slice(2, -1)).toEqual([
      'r0: row and places are of replay 2: only where memory that the captured code overwrites without reading it began with other values (fill "opposite")',
    ]);
  });

  it('name no fill where a replay without one has as much', () => {
    const lines = linesOf(replayed(1, 1, 0.5, 1), replayed(2, 2, 0.5, 1, 'huge'), replayed(3, 1, 2, 1));
    expect(lines[2]).toBe('r0: row and places are of replay 1; others have up to 2 outside, max abs 2.00');
  });

  it('say nothing where all replays agree, or there is one', () => {
    expect(linesOf(replayed(1, 2, 0.5, 1), replayed(2, 2, 0.5, 1))).toHaveLength(3);
    expect(linesOf(replayed(1, 2, 0.5, 1))).toHaveLength(3);
  });

  it('are of the replay that the verdict is of, but show what differs elsewhere alone', () => {
    const [region] = comparedRegions([replayed(2, 1, 0.5, 1), replayed(1, 3, 2, 1)]);
    expect(region).toMatchObject({ differing_bytes: 4, first_difference: 200, elements: [{ outside: 1, replay: 2 }] });
    const [other] = comparedRegions([replayed(2, 0, 0, 0), replayed(1, 3, 2, 1)]);
    expect(other).toMatchObject({ differing_bytes: 12, first_difference: 100, elements: [{ outside: 3, replay: 1 }] });
  });
});
