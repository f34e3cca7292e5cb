import { captureJsonSchema } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { captureJson, someDigest } from '../testing/workspace';
import { placeNames } from './place-names';

const content = { chunks: [] };
const region = (id: string, base: string): object => ({ id, base, size: 64, pre: content, post: content });
const variable = (name: string): object => ({ name, size: 4, pre: content, post: content });

const named = (parameter: string | null, ...variables: string[]) => {
  const capture = captureJsonSchema.parse(
    captureJson({
      kernarg: { slots: [{ offset: 0, region: 'r0', value: '0x1000' }] },
      kernel: { name: 'ns::scale(float*)', symbol: '_ZN2ns5scaleEPf', code_object: someDigest },
      regions: [region('r0', '0x1000'), region('r1', '0x2000')],
      module_variables: variables.map(variable),
    }),
  );
  const args = [{ index: 0, name: parameter, offset: 0 }] as KernelJson['args'];
  return placeNames({ args } as KernelJson, capture);
};

describe('placeNames', () => {
  it('names a region by its parameter, else by its address, and a variable as the source does', () => {
    const names = named('x', '_ZN2ns5tableE');
    expect(names.of({ region: 'r0' })).toBe('x');
    expect(names.of({ region: 'r1' })).toBe('buffer at 0x2000');
    expect(names.of({ variable: '_ZN2ns5tableE' })).toBe('ns::table');
    expect(named(null).of({ region: 'r0' })).toBe('argument 0');
  });

  it('keeps the symbols of two variables that the source calls the same', () => {
    const names = named('x', '_ZL5table', '_ZL5table.static.0123abcd', '_ZL4size');
    expect(['_ZL5table', '_ZL5table.static.0123abcd', '_ZL4size'].map((variable) => names.of({ variable }))).toEqual([
      '_ZL5table',
      '_ZL5table.static.0123abcd',
      'size',
    ]);
  });

  it('puts these names into the text of other stages, where a whole word is an id', () => {
    const names = named('x', '_ZN2ns5tableE');
    const inText = (text: string): string => names.inText(text);
    expect(inText('64 bytes behind region r0: r0[3], r1+8, _ZN2ns5tableE in _ZN2ns5scaleEPf.')).toBe(
      '64 bytes behind x: x[3], buffer at 0x2000+8, ns::table in ns::scale(float*).',
    );
    expect(inText('r0.hip:4, build/r0, r10, dr0, v_r0 and r0-1')).toBe('r0.hip:4, build/r0, r10, dr0, v_r0 and r0-1');
  });

  it('leaves a word alone that is a parameter as well as an id', () => {
    expect(named('r1').inText('r0 and r1')).toBe('r1 and r1');
  });

  it('knows nothing but ids without a capture', () => {
    expect(placeNames({ args: [] as KernelJson['args'] } as KernelJson, null).of({ region: 'r7' })).toBe('r7');
  });
});
