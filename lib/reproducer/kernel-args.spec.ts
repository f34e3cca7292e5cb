import type { CaptureJson } from '../archive/capture-files';
import { findKernelDefinitions } from '../source/kernel-definitions';
import { openSourceParser, type SourceParser } from '../source/source-parser';
import { captureJson, kernelJson } from '../testing/workspace';
import { failure } from '../testing/failure';
import { configOf, kernelArgs } from './kernel-args';
import type { KernelJson } from './kernel-json';

let parser: SourceParser;
beforeAll(async () => {
  parser = await openSourceParser();
});

type Slot = { offset: number; size: number; kind: string; name?: string };

const argsOf = (name: string, slots: Slot[], source?: string) => {
  const kernel = { name, symbol: 'k', code_object: 'a'.repeat(64) };
  const capture = captureJson({ kernel, kernarg: { slots } }) as CaptureJson;
  return kernelArgs(capture, source === undefined ? null : (findKernelDefinitions(source, parser)[0] ?? null));
};
const pointer = (offset: number): Slot => ({ offset, size: 8, kind: 'global_buffer' });

describe('kernelArgs', () => {
  it.each([
    ['float*', 'inout', 'f32'],
    ['float const*', 'in', 'f32'],
    ['float* const', 'inout', 'f32'],
    ['double volatile*', 'inout', 'f64'],
    ['unsigned char const*', 'in', 'u8'],
    ['unsigned long long*', 'inout', 'u64'],
    ['float**', 'inout', null],
    ['float const* const*', 'inout', null],
    ['Particle*', 'inout', null],
    ['_Float16*', 'inout', 'f16'],
    ['__nv_bfloat16 const*', 'in', 'bf16'],
    ['c10::Half*', 'inout', 'f16'],
    ['c10::BFloat16 const*', 'in', 'bf16'],
  ])('knows role and element of %s', (type, role, element) => {
    expect(argsOf(`k(${type})`, [pointer(0)])).toMatchObject([{ type, role, element }]);
  });

  it('takes types from the source where the name carries none, as for extern "C"', () => {
    const source = 'extern "C" __global__ void k(const float* __restrict__ x, unsigned int* y, int n) {}';
    expect(argsOf('k', [pointer(0), pointer(8), { offset: 16, size: 4, kind: 'by_value' }], source)).toMatchObject([
      { name: 'x', type: 'const float* __restrict__', role: 'in', element: 'f32' },
      { name: 'y', type: 'unsigned int*', role: 'inout', element: 'u32' },
      { name: 'n', type: 'int', role: 'in', element: null, kind: 'by_value' },
    ]);
  });

  it('gives no names where source and slots disagree, rather than shifted ones', () => {
    const source = 'template <typename... T> __global__ void k(int n, T... rest) {}';
    const slots = [{ offset: 0, size: 4, kind: 'by_value' }, pointer(8), pointer(16)];
    expect(argsOf('void k<float*, float*>(int, float*, float*)', slots, source)).toMatchObject([
      { name: null, type: 'int', role: 'in' },
      { name: null, type: 'float*', role: 'inout' },
      { name: null, type: 'float*', role: 'inout' },
    ]);
  });

  it('uses the names in the metadata where there is no source', () => {
    expect(argsOf('k', [{ ...pointer(0), name: 'out.coerce' }])).toMatchObject([
      { name: 'out.coerce', type: 'global_buffer' },
    ]);
  });

  it('leaves out what the compiler appends, and orders by offset', () => {
    const slots = [
      { offset: 16, size: 8, kind: 'hidden_hostcall_buffer' },
      { offset: 8, size: 4, kind: 'by_value' },
      pointer(0),
    ];
    expect(argsOf('k(float*, int)', slots).map(({ index, type, offset }) => [index, type, offset])).toEqual([
      [0, 'float*', 0],
      [1, 'int', 8],
    ]);
  });

  it('refuses slots that are none', async () => {
    const error = await failure(Promise.resolve().then(() => argsOf('k', [{ offset: -1, size: 8, kind: 'by_value' }])));
    expect(error.code).toBe('CAPTURE_INVALID');
  });
});

describe('kernel.json for a capture of another kernel', () => {
  const name = 'sum(float const*, float*, int)';
  const slots = [pointer(0), pointer(8), { offset: 16, size: 4, kind: 'by_value' }];
  const captureOf = (of: string, symbol = 'other', its: Slot[] = slots): CaptureJson =>
    captureJson({ kernel: { name: of, symbol, code_object: 'a'.repeat(64) }, kernarg: { slots: its } }) as CaptureJson;
  const args = kernelArgs(captureOf(name), null).map((arg, index) => ({
    ...arg,
    name: ['in', 'out', 'n'][index] ?? null,
    role: index === 1 ? ('workspace' as const) : arg.role,
  }));
  const config = kernelJson({ demangled: name, symbol: '_Z3sumPKfPfi', args }) as unknown as KernelJson;

  it('is the same for the kernel itself', () => {
    expect(configOf(config, captureOf(name))).toBe(config);
    expect(configOf(config, captureOf('sum', config.symbol))).toBe(config);
  });

  it('has the types of an overload, with the names and roles of its parameters', () => {
    expect(configOf(config, captureOf('sum(int const*, int*, int)')).args).toMatchObject([
      { name: 'in', type: 'int const*', element: 'i32', role: 'in' },
      { name: 'out', type: 'int*', element: 'i32', role: 'workspace' },
      { name: 'n', type: 'int', element: null },
    ]);
  });

  it.each([
    ['of another function', 'mean(int const*, int*, int)', slots],
    ['with other parameters', 'sum(int*)', [pointer(0)]],
  ])('has no names of a kernel %s', (_, of, its) => {
    const { args: found } = configOf(config, captureOf(of, 'other', its));
    expect(found.map((arg) => [arg.name, arg.element])).toEqual(
      its.map(({ size }) => [null, size === 8 ? 'i32' : null]),
    );
  });
});
