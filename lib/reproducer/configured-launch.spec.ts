import { captureJsonSchema } from '../archive/capture-files';
import { captureJson } from '../testing/workspace';
import { thrown } from '../testing/failure';
import { configurationSchema } from './configuration';
import { capturedValues, configuredLaunch } from './configured-launch';

const slots = [
  { offset: 0, size: 8, kind: 'global_buffer', value: '0x400000000000', region: 'r0' },
  { offset: 8, size: 4, kind: 'by_value', value: '0xfffffffe' },
  { offset: 12, size: 4, kind: 'by_value', value: '0x3f000000' },
  { offset: 16, size: 4, kind: 'by_value', value: '0x3e8' },
];
const arg = (index: number, name: string, type: string, size = 4) => ({
  index,
  name,
  type,
  offset: slots[index]?.offset ?? 0,
  size,
});
const args = [arg(0, 'out', 'float*', 8), arg(1, 'shift', 'int'), arg(2, 'scale', 'float'), arg(3, 'n', 'i32')];
const capture = captureJsonSchema.parse(captureJson({ kernarg: { hex: '00', slots } }));
const launch = (configuration: object) => configuredLaunch(configurationSchema.parse(configuration), capture, args);

describe('the launch of a configuration', () => {
  it('knows the scalar arguments and the captured geometry by name', () => {
    expect(capturedValues(capture, args)).toEqual({
      ...{ shift: -2, scale: 0.5, n: 1000 },
      ...{ grid_x: 4, grid_y: 1, grid_z: 1, block_x: 256, block_y: 1, block_z: 1 },
    });
  });

  it.each([
    [{}, {}],
    [{ parameters: { B: 256 }, block: 'B' }, {}],
    // 1,024 captured threads.
    [
      { parameters: { B: 96 }, block: 'B' },
      { block: '96,1,1', grid: '11,1,1' },
    ],
    [{ parameters: { B: 128 }, block: 'B', grid: 'ceil(n / (B * 2)), 1' }, { block: '128,1,1' }],
    [{ parameters: { B: 8 }, dynamic_shared: 'max(B, 4) * 4' }, { dynamicShared: 32 }],
    [{ parameters: { B: 8 }, arguments: { n: 'B * 2', '2': '0.25' } }, { args: ['2:f32=0.25', '3:i32=16'] }],
  ])('%j is %j', (configuration, expected) => expect(launch(configuration)).toEqual(expected));

  it.each([
    [{ block: 'n / 3' }, /333.33/],
    [{ grid: '0' }, /from 1 on/],
    [{ grid: '1,1,1,1' }, /three dimensions/],
    [{ arguments: { out: '1' } }, /no type of a number/],
    [{ arguments: { N: '1' } }, /no argument "N"/],
    [{ dynamic_shared: '-1' }, /from 0 on/],
  ])('%j is refused', (configuration, why) => expect(thrown(() => launch(configuration)).what).toMatch(why));
});
