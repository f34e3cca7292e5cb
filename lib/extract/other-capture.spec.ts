import { captureJsonSchema } from '../archive/capture-files';
import { captureJson } from '../testing/workspace';
import { otherwise } from './other-capture';

const kernel = { name: 'scale(float*, int, float)', symbol: '_Z5scalePfif', code_object: 'a'.repeat(64) };
const capture = (overrides: object = {}) => captureJsonSchema.parse(captureJson({ kernel, ...overrides }));
const slots = (n: string, by: string) => ({
  kernarg: {
    slots: [
      { offset: 0, size: 8, kind: 'global_buffer', value: '0x400000000000', region: 'r0' },
      { offset: 8, size: 4, kind: 'by_value', value: n },
      { offset: 12, size: 4, kind: 'by_value', value: by },
    ],
  },
});
const geometry = { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] };
const region = { id: 'r0', base: '0x400000000000', size: 4096, post: { chunks: [null] } };

describe('what a capture has otherwise than the one that is there', () => {
  it.each<[string, object, object, string]>([
    ['another kernel', {}, { kernel: { ...kernel, name: 'dot(int)' } }, 'dot(int), there scale(float*, int, float)'],
    ['another build', {}, { kernel: { ...kernel, code_object: 'b'.repeat(64) } }, 'another build of the kernel'],
    [
      'another launch',
      {},
      { geometry: { grid_blocks: [8, 1, 1], block_threads: [128, 1, 1] } },
      '8×1×1 blocks of 128×1×1 threads, there 4×1×1 blocks of 256×1×1 threads',
    ],
    [
      'other shared memory',
      { geometry: { ...geometry, group_segment_bytes: 64 }, kernel: { ...kernel, group_segment_bytes: 64 } },
      { geometry: { ...geometry, group_segment_bytes: 2112 }, kernel: { ...kernel, group_segment_bytes: 64 } },
      '2,048 bytes of dynamic shared memory, there 0 bytes of dynamic shared memory',
    ],
    [
      'another dispatch',
      {},
      { dispatch: { ordinal: 2, index: 5, queue: 0 } },
      'dispatch 2 of its kernel (5 of all), there dispatch 1 of its kernel (0 of all)',
    ],
    [
      'another command',
      { app: { command: ['./app'] } },
      { app: { command: ['./app', 'two words'] } },
      "run as `./app 'two words'`, there run as `./app`",
    ],
    [
      'other scalars',
      slots('0x400', '0x3dcccccd'),
      slots('0x1000', '0x40000000'),
      'argument 1 = 4096, there 1024; argument 2 = 2, there 0.1',
    ],
    ['other memory', {}, { regions: [{ ...region, pre: { chunks: ['c'.repeat(64)] } }] }, 'other memory'],
    ['nothing that counts', {}, { execution: { wave_instructions: 7 } }, 'another run, with the same memory'],
  ])('%s', (_name, there, one, expected) => {
    expect(otherwise(capture(there), capture(one))).toBe(expected);
  });

  it('names parameters as kernel.json does, three at most', () => {
    const names = ['a', 'b', 'c', 'd'];
    const args = names.map((name, index) => ({
      ...{ index, name, type: 'int', declared: null, role: 'in' as const, element: null },
      ...{ offset: 4 * index, size: 4, kind: 'by_value' },
    }));
    const ones = (value: string) => ({
      kernarg: { slots: args.map(({ offset, size, kind }) => ({ offset, size, kind, value })) },
    });
    expect(otherwise(capture(ones('0x1')), capture(ones('0xffffffff')), args)).toBe(
      'a = -1, there 1; b = -1, there 1; c = -1, there 1',
    );
  });
});
