import { variableName } from './mangled-name';

/** The right side is what llvm-cxxfilt 22 prints, with `()` for the parameters of a function. */
describe('variableName', () => {
  it.each([
    ['_ZN8pipeline5tableE', 'pipeline::table'],
    ['_ZL5table', 'table'],
    ['_ZN12_GLOBAL__N_15tableE', '(anonymous namespace)::table'],
    ['_ZN2nsL5tableE', 'ns::table'],
    ['_ZZN8pipeline3runEPfE5table', 'pipeline::run()::table'],
    ['_ZZ6kernelPfE5table', 'kernel()::table'],
    ['_ZZ6kernelPfE5table_0', 'kernel()::table'],
    ['_ZZ6kernelPfE5table__12_', 'kernel()::table'],
    ['a parameter whose type is named: _ZZN1a1fE5PointE5table', null],
    ['_ZN2ns5tableIfEE', 'ns::table<float>'],
    ['_ZN2ns1SIKPiLj4EE5tableE', 'ns::S<int* const, 4u>::table'],
    ['_ZN2ns1SILin3ELb1EN1a1TIdEEE5tableE', 'ns::S<-3, true, a::T<double>>::table'],
    ['_ZN17__HIP_CoordinatesI14__HIP_BlockIdxE1xE', '__HIP_Coordinates<__HIP_BlockIdx>::x'],
    ['_ZZN1a1fIfEEvPT_E5table', 'a::f<float>()::table'],
    ['plain', 'plain'],
  ])('%s', (symbol, name) => {
    expect(variableName(symbol.replace(/.*: /, ''))).toBe(name ?? 'a::f()::table');
  });

  it('leaves out what HIP and nvcc add so that static variables of two files differ', () => {
    const id = '_5b5460ec_4_p_cu_4e539ff5';
    expect(variableName('_ZL5table.static.0123abcd')).toBe('table');
    expect(variableName(`_ZN34_INTERNAL${id}4pipe36_GLOBAL__N_${id}7counterE`)).toBe(
      'pipe::(anonymous namespace)::counter',
    );
    expect(variableName(`__nv_static_${id.length}_${id}_counter`)).toBe('counter');
  });

  it.each([
    ...['_ZN2ns1S5tableB5cxx11E', '_ZN1aS_5tableE', '_ZN9tooE', '_ZN1a1bE1c', '_Z1aIM1A1BE', '_ZN1aILc65EE1bE'],
    ...['_Z', '_ZN', '_ZNE', '_ZN1a', '_ZN1aI', '_ZZ1fvE', '_ZZE1a'],
  ])('leaves %s as it is: it has parts that are not known, or is cut short', (symbol) => {
    expect(variableName(symbol)).toBe(symbol);
  });
});
