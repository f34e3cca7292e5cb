import { renderCompileArgument } from './compile-arguments';
import { assemblerArguments, isRelocatable, parseNvccArguments } from './nvcc-arguments';

const kinds = (...words: string[]): string[] =>
  parseNvccArguments(words).args.map(({ kind, option, value, host }) =>
    [host ? 'host' : '', kind, option, value ?? ''].join(' ').trim(),
  );
const rendered = (...words: string[]): string[] => parseNvccArguments(words).args.flatMap(renderCompileArgument);

describe('parseNvccArguments', () => {
  it.each([
    [
      'include folders',
      ['-Ia', '-I', 'b', '-I=c', '--include-path', 'd,e'],
      ['include -I a', 'include -I b', 'include -I c', 'include -I d', 'include -I e'],
    ],
    [
      'system folders',
      ['-isystem=a', '-isystem', 'b', '--system-include=c'],
      ['include -isystem= a', 'include -isystem= b', 'include -isystem= c'],
    ],
    ['forced includes', ['-include', 'a.h,b.h'], ['file -include= a.h', 'file -include= b.h']],
    ['a define with a comma, which nvcc splits itself', ['-DA=1,B=2', '-D', 'C'], ['keep -D A=1,B=2', 'keep -D C']],
    [
      'architectures',
      ['-arch=sm_90', '--generate-code=arch=compute_90,code=sm_90', '-code', 'sm_90'],
      ['arch -arch= sm_90', 'arch -gencode= arch=compute_90,code=sm_90', 'arch -code= sm_90'],
    ],
    [
      'dependency and object output',
      ['-MD', '-MT', 'x.o', '-MF', 'x.d', '-c', '-o', 'x.o', 'x.cu'],
      ['drop -MD', 'drop -MT= x.o', 'drop -MF= x.d', 'drop -c', 'drop -o= x.o', 'input  x.cu'],
    ],
    [
      'long spellings',
      ['--device-debug', '--std', 'c++17', '--define-macro=X', '--optimize=3'],
      ['keep -G', 'keep -std= c++17', 'keep -D X', 'keep -O 3'],
    ],
    [
      'the short ones that long names start like',
      ['-O2', '-lineinfo', '-lcuda', '-L/x', '-std=c++20', '-m64'],
      ['keep -O 2', 'keep -lineinfo', 'drop -l= cuda', 'drop -L= /x', 'keep -std= c++20', 'keep -m64'],
    ],
    [
      'separate compilation',
      ['-dc', '-rdc=false', '--relocatable-device-code=true'],
      ['keep -rdc= true', 'keep -rdc= false', 'keep -rdc= true'],
    ],
    [
      'the assembler, whose value looks like an option',
      ['-Xptxas', '-v', '-Xptxas=-O3', '-maxrregcount', '32'],
      ['keep -Xptxas= -v', 'keep -Xptxas= -O3', 'keep -maxrregcount= 32'],
    ],
    [
      'the host compiler, as far as the preprocessor goes',
      ['-Xcompiler=-Wall,-fPIC,-DQ=1', '-Xcompiler', '-I,inc', '-Xcompiler', '-g'],
      ['host keep -fPIC', 'host keep -D Q=1', 'host include -I inc'],
    ],
    ['a value in the next -Xcompiler', ['-Xcompiler', '-include', '-Xcompiler', 'a.h'], ['host file -include a.h']],
    ['a comma that is no separator', ['-Xcompiler=-DF=1\\,2'], ['host keep -D F=1\\,2']],
    ['options that nvcc does not know', ['-fopenmp'], ['keep -fopenmp']],
    [
      'the same where they go to the host compiler',
      ['-march=native', '-forward-unknown-to-host-compiler', '-Wextra', 'a.cu'],
      ['input  a.cu', 'host keep -march=native'],
    ],
    ['an option that lacks its value', ['-isystem'], []],
  ])('reads %s', (_case, words, expected) => {
    expect(kinds(...words)).toEqual(expected);
  });

  it('finds the host compiler', () => {
    expect(parseNvccArguments(['-ccbin=/usr/bin/g++-12', '-O3']).hostCompiler).toBe('/usr/bin/g++-12');
    expect(parseNvccArguments(['--compiler-bindir', 'g++']).hostCompiler).toBe('g++');
    expect(parseNvccArguments(['-O3']).hostCompiler).toBeNull();
  });

  it('writes what nvcc reads the same way', () => {
    expect(
      rendered('-I', 'a b', '-DX="y z"', '-std', 'c++17', '-Xcompiler', '-fPIC,-I,"q r"', '--use_fast_math'),
    ).toEqual([
      ...['-Ia b', '-DX="y z"', '-std=c++17', '-use_fast_math'],
      ...['-Xcompiler=-fPIC', '-Xcompiler=-I', '-Xcompiler="q r"'],
    ]);
    const once = rendered(
      '-isystem',
      'a',
      '-Xcompiler=-DF=1\\,2',
      '-gencode',
      'arch=compute_90,code=sm_90',
      '-dc',
      '-O3',
    );
    expect(rendered(...once)).toEqual(once);
  });
});

describe('isRelocatable', () => {
  it.each([
    [['-dc'], true],
    [['-rdc=true'], true],
    [['-rdc', 'true', '--relocatable-device-code=false'], false],
    [['-O3'], false],
  ])('%j: %s', (words, expected) => {
    expect(isRelocatable(parseNvccArguments(words).args)).toBe(expected);
  });
});

describe('assemblerArguments', () => {
  it('are those that do not end with the source', () => {
    const { args } = parseNvccArguments([
      '-I',
      'a',
      '-DX',
      '-UY',
      '-G',
      '-maxrregcount=32',
      '-Xcompiler=-fPIC',
      '-x',
      'cu',
      '-arch=sm_90',
      '-rdc=true',
    ]);
    expect(assemblerArguments(args).flatMap(renderCompileArgument)).toEqual(['-G', '-maxrregcount=32', '-rdc=true']);
  });
});
