import type { CaptureJson } from '../archive/capture-files';
import type { TritonJson } from '../archive/triton-json';
import { thrown } from '../testing/failure';
import { argumentTexts } from './triton-views';

const base = 0x1000;

function texts(view: object | null, slots: [string, string][] = [['x', '0x1010']], bytes = 64): string[] {
  const type = (name: string): string => ({ x: '*fp32', n: 'i32', f: 'fp32', o: '*bf16' })[name] ?? 'i64';
  const parameters = slots.map(([name]) => ({ name, type: type(name), constexpr: false }));
  const launch = view && {
    arguments: [{ name: 'x', tensor: { dtype: 'float32', pointer: '0x1010', kind: 'torch', ...view } }],
  };
  const json = { compilation: { parameters }, launch } as unknown as TritonJson;
  const capture = {
    regions: [{ id: 'r0', base: `0x${base.toString(16)}`, size: bytes }],
    kernarg: { slots: slots.map(([, value], index) => ({ offset: index * 8, size: 8, kind: 'by_value', value })) },
  } as unknown as CaptureJson;
  return argumentTexts(json, parameters, capture).map(({ text }) => text);
}

describe('the arguments of a Triton launch', () => {
  it('are views of captured regions at their own strides', () => {
    expect(texts({ shape: [2, 3], strides: [8, 1] })).toEqual([
      'captured.tensor("float32", (2, 3), (8, 1), region="r0", offset=16)',
    ]);
    expect(texts({ shape: [], strides: [] })[0]).toContain('float32", (), ()');
  });

  it('reach to the end of the region where no view was seen', () => {
    expect(texts(null)).toEqual(['captured.tensor("float32", (12,), (1,), region="r0", offset=16)']);
  });

  it('are read from the segment where nothing else tells them', () => {
    expect(
      texts(null, [
        ['n', '0xfffffffe'],
        ['f', '0x3f000000'],
        ['o', '0x0'],
      ]),
    ).toEqual(['-2', '0.5', 'captured.null()']);
  });

  it.each([
    ['ends behind it', [4, 4], [4, 1]],
    ['begins before it', [6], [-1]],
    ['has another number of strides', [2, 2], [2]],
  ])('are refused where a view %s', (_case, shape, strides) => {
    const error = thrown(() => texts({ shape, strides }));
    expect(error).toMatchObject({
      code: 'TENSOR_OUTSIDE',
      what: expect.stringContaining('x as a view of shape') as string,
    });
  });

  it('may just fill the region', () => {
    expect(texts({ shape: [3, 4], strides: [4, 1] })[0]).toContain('(3, 4)');
    expect(texts({ shape: [5], strides: [-1] })[0]).toContain('(-1,)');
  });
});
