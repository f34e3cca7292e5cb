import { capturedNames, sourceName } from './cuda-names';

const id = '_0dcbc3ef_5_st_cu__Z3runPf';

describe('the names that nvcc and clang give one thing', () => {
  it.each([
    ['a kernel in an anonymous namespace', `_ZN37_GLOBAL__N_${id}4anonEPf`, '_ZN12_GLOBAL__N_14anonEPf'],
    ['a template there', `_ZN37_GLOBAL__N_${id}4tmplILi3EEEvPf`, '_ZN12_GLOBAL__N_14tmplILi3EEEvPf'],
    ['a static kernel', '_Z4statPf', '_ZL4statPf'],
    ['one in a namespace', '_ZN3foo5innerEPf', '_ZN3fooL5innerEPf'],
    ['a variable in a namespace', `_ZN35_INTERNAL${id}3foo7counterE`, '_ZN3fooL7counterE'],
    ['one in an anonymous namespace', `_ZN35_INTERNAL${id}37_GLOBAL__N_${id}5tableE`, '_ZN12_GLOBAL__N_15tableE'],
    ['a variable of the file', 'c', '_ZL1c'],
    ['what clang makes known to the host', '_Z4statPf', '_ZL4statPf__static__4f37159cb8295039'],
  ])('are one name in the words of the source: %s', (_what, nvcc, clang) => {
    expect(sourceName(nvcc)).toBe(sourceName(clang));
    expect(capturedNames(null, nvcc)(`.visible .entry ${clang}(\n\t.param .u64 ${clang}_param_0\n)`)).toBe(
      `.visible .entry ${nvcc}(\n\t.param .u64 ${clang}_param_0\n)`,
    );
  });

  it.each([
    ['another function', '_Z4statPf', '_ZL5statePf'],
    ['other parameters', '_Z4statPf', '_ZL4statPi'],
    ['another template argument', '_Z1kILi3EEvPf', '_Z1kILi4EEvPf'],
  ])('stay apart: %s', (_what, nvcc, clang) => {
    expect(capturedNames(null, nvcc)(clang)).toBe(clang);
  });
});
