import { parseDemangledName } from './demangled-name';

describe('parseDemangledName', () => {
  it.each([
    ['saxpy', [], 'saxpy', null, null],
    ['saxpy.kd', [], 'saxpy', null, null],
    ['scale(float**, int const*, float)', [], 'scale', null, ['float**', 'int const*', 'float']],
    ['none()', [], 'none', null, []],
    ['a::b::k(int)', ['a', 'b'], 'k', null, ['int']],
    ['void a::(anonymous namespace)::tk<float, 3>(float*, int)', ['a', null], 'tk', ['float', '3'], ['float*', 'int']],
    ['(anonymous namespace)::k(int)', [null], 'k', null, ['int']],
    ['void k<pair<int, pair<float, 2> >, (Mode)1>(int)', [], 'k', ['pair<int, pair<float, 2> >', '(Mode)1'], ['int']],
    ['void k<&(operator<(A, B))>(A)', [], 'k', ['&(operator<(A, B))'], ['A']],
    ['void k<&A::operator->>(int, float)', [], 'k', ['&A::operator->'], ['int', 'float']],
    [
      'void k<main::{lambda(int, float)#1}>(main::{lambda(int, float)#1})',
      [],
      'k',
      ['main::{lambda(int, float)#1}'],
      ['main::{lambda(int, float)#1}'],
    ],
    ['k(void (*)(int, float), std::map<int, long>)', [], 'k', null, ['void (*)(int, float)', 'std::map<int, long>']],
    ['Box<int>::run(int)', ['Box'], 'run', null, ['int']],
    ['k[abi:cxx11](int)', [], 'k', null, ['int']],
    ['k(int) [clone .kd]', [], 'k', null, ['int']],
    ['k(float (&) [4])', [], 'k', null, ['float (&) [4]']],
  ])('reads %s', (name, scope, base, templateArguments, parameters) => {
    expect(parseDemangledName(name)).toEqual({ scope, base, templateArguments, parameters });
  });

  it('survives unbalanced brackets', () => {
    for (const name of ['k(', 'k<', '>>)', '', 'k<(', 'operator<'])
      expect(() => parseDemangledName(name)).not.toThrow();
  });
});
