import { parseDemangledName } from './demangled-name';
import { findKernelDefinitions } from './kernel-definitions';
import { bestDefinition } from './match-definition';
import { openSourceParser, type SourceParser } from './source-parser';

let parser: SourceParser;
beforeAll(async () => {
  parser = await openSourceParser();
});

const lineOf = (text: string, name: string): number | undefined =>
  bestDefinition(findKernelDefinitions(text, parser), parseDemangledName(name))?.line;

const twins = `__global__ void k(int) {}
namespace a { __global__ void k(int) {} }
namespace a { namespace { __global__ void k(int, int) {} } }
namespace a { template <typename T> __global__ void k(T) {} }
namespace a { template <> __global__ void k<double>(double) {} }
namespace b { extern "C" __global__ void k(float*) {} }`;

describe('bestDefinition', () => {
  it.each([
    ['k(int)', 1],
    ['a::k(int)', 2],
    ['a::(anonymous namespace)::k(int, int)', 3],
    ['void a::k<float>(float)', 4],
    ['void a::k<double>(double)', 5],
    ['k', 6],
  ])('takes the definition that %s names among six of one base name', (name, line) => {
    expect(lineOf(twins, name)).toBe(line);
  });

  it('accepts a namespace that a macro opens', () => {
    expect(lineOf('BEGIN_LIB\n__global__ void k(int) {}\nEND_LIB', 'lib::k(int)')).toBe(2);
  });

  it('does not accept a kernel whose name only starts the same', () => {
    expect(lineOf('__global__ void k2(int) {}', 'k(int)')).toBeUndefined();
  });
});
