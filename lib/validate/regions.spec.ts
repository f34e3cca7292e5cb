import { captureJsonSchema } from '../archive/capture-files';
import { kernelJsonSchema } from '../reproducer/kernel-json';
import { toleranceSchema } from '../replay/replay-events';
import { captureJson, kernelJson, someDigest } from '../testing/workspace';
import { argumentNames, comparedRegions } from './regions';
import { regionTable } from './region-text';

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
  expect(regionTable(regions).filter((line) => line.includes('NaN'))).toEqual([
    'r0: NaN: 0 in both, 1 only in the replay, 0 only in what the app computed',
    'scale (r0+1,024): NaN: 0 in both, 2 only in the replay, 0 only in what the app computed',
    'out, out_again (r0+2,048): NaN: 0 in both, 3 only in the replay, 0 only in what the app computed',
  ]);
});
