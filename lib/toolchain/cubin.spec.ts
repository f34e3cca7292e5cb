import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeObjectKernels } from './code-object-kernels';

// Uses the native reader's test files. Expected places: the C ABI's for `char, Mixed, float*, bool`, which the native
// tests take from the host compiler. Over-aligned parameters are aligned in the constant bank, whose start differs by
// architecture.
const data = join(__dirname, '../../native/codeobject/test/data/cubin');
const read = (name: string): Buffer => readFileSync(join(data, name));
const argumentsIn = (name: string, kernel: string) =>
  codeObjectKernels(read(name))?.find(({ symbol }) => symbol === kernel)?.args;

describe('cubins', () => {
  it('list their kernels, and no device function or what the driver provides', () => {
    expect(codeObjectKernels(read('linked.sm_90.cubin'))?.map(({ symbol }) => symbol)).toEqual([
      '_Z13calls_pointerPPi',
      '_Z14writes_surfaceyf',
      '_Z5freesPPi',
      '_Z5largePf5Larges',
      '_Z5mixedc5MixedPfb',
      '_Z5plainPi',
      '_Z6opaquei6OpaquePf',
      '_Z6printsi',
      '_Z7assertsPii',
      '_Z7nothingv',
      '_Z7samplesyPf',
      '_Z9allocatesPPii',
      'fill',
    ]);
  });

  it('tell where each argument lies', () => {
    for (const file of [
      'parameters.sm_75.cubin',
      'parameters.sm_90.cubin',
      'parameters.sm_100.cubin',
      'linked.sm_90.cubin',
    ]) {
      expect(argumentsIn(file, '_Z5mixedc5MixedPfb')).toEqual([
        { offset: 0, size: 1 },
        { offset: 8, size: 32 },
        { offset: 40, size: 8 },
        { offset: 48, size: 1 },
      ]);
      expect(argumentsIn(file, '_Z5largePf5Larges')).toEqual([
        { offset: 0, size: 8 },
        { offset: 8, size: 6000 },
        { offset: 6008, size: 2 },
      ]);
      expect(argumentsIn(file, '_Z7nothingv')).toEqual([]);
    }
    const places = ['sm_75', 'sm_90', 'sm_100'].map(
      (target) => argumentsIn(`parameters.${target}.cubin`, '_Z6opaquei6OpaquePf')?.[1],
    );
    // Banks start at 0x160, 0x210 and 0x380: the parameter is at the next multiple of 128 after the int.
    expect(places.map((place) => place?.offset)).toEqual([32, 112, 128]);
    expect(places.map((place) => place?.size)).toEqual([128, 128, 128]);
  });

  it('are not what lacks its device link, nor what nvcc wraps around them', () => {
    for (const name of ['tiny.relocatable.cubin', 'tiny.fatbin', 'tiny.ptx', 'tiny.o']) {
      expect(codeObjectKernels(read(name))).toBeNull();
    }
  });

  it('say nothing of arguments that overlap or leave their bank', () => {
    const bytes = read('tiny.sm_86.cubin');
    // Record of the second parameter: number 1 at offset 8, 4 bytes.
    const record = bytes.indexOf(Buffer.from([0x04, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 8, 0]));
    expect(record).toBeGreaterThan(0);
    for (const offset of [4, 12]) {
      const damaged = Buffer.from(bytes);
      damaged[record + 10] = offset;
      expect(codeObjectKernels(damaged)).toEqual([{ symbol: 'tiny', args: null }]);
    }
  });

  it('survive being cut off anywhere and hostile values in every byte', () => {
    const bytes = read('tiny.sm_86.cubin');
    for (let length = 0; length < bytes.length; ++length) {
      for (const { symbol } of codeObjectKernels(bytes.subarray(0, length)) ?? []) expect(symbol).toBe('tiny');
    }
    for (let at = 16; at < bytes.length; ++at) {
      for (const value of [0, 0x7f, 0xff]) {
        const hostile = Buffer.from(bytes);
        hostile[at] = value;
        codeObjectKernels(hostile);
      }
    }
  });
});
