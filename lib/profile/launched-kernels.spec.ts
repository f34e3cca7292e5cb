import type { KernelEntry } from '../app/kernloop-json';
import { thrown } from '../testing/failure';
import { declarationOf, entryFor, isOfApp, kernelNamed, nameOf, type LaunchedKernel } from './launched-kernels';

const kernel = (name: string, symbol: string, dispatches = 1): LaunchedKernel => ({ name, symbol, dispatches });
const reduce = kernel('reduce(float const*, float*, int)', '_Z6reducePKfPfi');
const reduceAll = kernel('reduce_all(float*)', '_Z10reduce_allPf', 2);
const floats = kernel('void ns::scale<float, 4>(float*)', '_ZN2ns5scaleIfLi4EEEvPf');
const doubles = kernel('void ns::scale<double, 4>(double*)', '_ZN2ns5scaleIdLi4EEEvPd');
const fill = kernel('__amd_rocclr_fillBufferAligned', '__amd_rocclr_fillBufferAligned');
const all = [reduceAll, reduce, floats, doubles, fill];

describe('a launched kernel that a user names', () => {
  it.each([
    ['its function, though another begins so', 'reduce', reduce],
    ['a regular expression', 'reduce_.*', reduceAll],
    ['a part of a name', 'all', reduceAll],
    ['a template with its arguments', 'ns::scale<float, 4>', floats],
    ['the whole demangled name', reduce.name, reduce],
    ['the mangled name', doubles.symbol, doubles],
    ['what is no regular expression', 'scale<double, 4>(', doubles],
  ])('is found by %s', (_name, text, expected) => {
    expect(kernelNamed(text, all)).toBe(expected);
  });

  it('is refused with the list where the name means several', () => {
    const error = thrown(() => kernelNamed('scale', all));
    expect(error.code).toBe('USAGE');
    expect(error.what).toBe(`"scale" matches 2 kernels:\n  ${floats.name} (1 launch)\n  ${doubles.name} (1 launch)`);
    expect(error.hint).toBe("name one of them: -k 'ns::scale<float, 4>', -k 'ns::scale<double, 4>'");
  });

  it('is refused with the nearest name and what was launched where none matches', () => {
    const error = thrown(() => kernelNamed('redcue', all));
    expect(error.code).toBe('NO_MATCH');
    expect(error.hint).toMatch(/^did you mean reduce\b/);
    expect(error.hint).toContain('reduce_all(float*) (2 launches)');
  });

  it('is one kernel, though it comes from two code objects', () => {
    expect(kernelNamed('reduce', [reduce, { ...reduce }]).symbol).toBe(reduce.symbol);
  });

  it('is told by the shortest name that means it alone', () => {
    expect(all.map((one) => nameOf(one, all))).toEqual([
      'reduce_all',
      'reduce',
      'ns::scale<float, 4>',
      'ns::scale<double, 4>',
      '__amd_rocclr_fillBufferAligned',
    ]);
    for (const one of all) expect(kernelNamed(nameOf(one, all), all)).toBe(one);
  });

  it('is one of the app unless the HIP runtime launches it by itself', () => {
    expect(all.filter(isOfApp)).toEqual([reduceAll, reduce, floats, doubles]);
  });
});

describe('the entry of kernloop.json for a launched kernel', () => {
  const matched = (match: string): LaunchedKernel[] =>
    all.filter(({ name, symbol }) => new RegExp(match).test(name) || new RegExp(match).test(symbol));

  it('selects that kernel and no other', () => {
    const entries = all.map((one) => entryFor(one, all, []));
    expect(entries.map(({ match }) => matched(match))).toEqual(all.map((one) => [one]));
    expect(entries.map(({ name }) => name)).toEqual([
      'reduce_all',
      'reduce',
      'ns-scale-float-4',
      'ns-scale-double-4',
      'amd_rocclr_fillBufferAligned',
    ]);
  });

  it('has a name that is free', () => {
    const other = { name: 'reduce', match: '^reduce_all' } as KernelEntry;
    expect(entryFor(reduce, all, [other]).name).toBe('reduce-2');
  });

  it('is the declared one if that selects the kernel alone', () => {
    const entry = (match: string): KernelEntry => ({ name: 'mine', match, ordinal: 3, scope: 'all' });
    expect(declarationOf(reduce, all, [entry('^reduce\\(')])?.name).toBe('mine');
    for (const match of ['reduce', '^reduce_all']) expect(declarationOf(reduce, all, [entry(match)])).toBeUndefined();
  });
});
