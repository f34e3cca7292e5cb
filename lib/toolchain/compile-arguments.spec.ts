import { parseCompileArguments, renderCompileArgument } from './compile-arguments';

const kinds = (...args: string[]): string[] =>
  parseCompileArguments(args).map(({ kind, option, value }) => [kind, option, value ?? ''].join(' ').trim());

describe('parseCompileArguments', () => {
  it.each([
    ['-I', ['-Ia', '-I', 'b'], ['include -I a', 'include -I b']],
    [
      '-isystem, which -isysroot only resembles',
      ['-isystem', 'a', '-isysroot', 'b'],
      ['include -isystem a', 'keep -isysroot b'],
    ],
    [
      '-include, which -include-pch only resembles',
      ['-include', 'a.h', '-include-pch', 'b'],
      ['file -include a.h', 'file -include-pch b'],
    ],
    ['a define whose value looks like a file', ['-D', 'main.hip', '-DX=-c'], ['keep -D main.hip', 'keep -D X=-c']],
    ['an LLVM option whose value looks like an option', ['-mllvm', '-o', '-O3'], ['keep -mllvm -o', 'keep -O3']],
    [
      'dependency output',
      ['-MD', '-MT', 'x.o', '-MF', 'x.d', '-o', 'x.o', '-c'],
      ['drop -MD', 'drop -MT x.o', 'drop -MF x.d', 'drop -o x.o', 'drop -c'],
    ],
    [
      'architectures',
      ['--offload-arch=gfx90a', '--amdgpu-target=gfx906'],
      ['arch --offload-arch= gfx90a', 'arch --amdgpu-target= gfx906'],
    ],
    [
      'options for one architecture',
      ['-Xarch_host', '-g', '-Xarch_gfx90a', '-DX=1'],
      ['drop -Xarch_host -g', 'keep -Xarch_gfx90a -DX=1'],
    ],
    ['languages', ['-x', 'hip', '-xc++', 'a.cpp'], ['language -x hip', 'language -x c++', 'input  a.cpp']],
    ['inputs after --', ['--', '-odd.hip'], ['input  -odd.hip']],
    [
      'linker options',
      ['-Wl,-rpath,/x', '-lamdhip64', '-L/usr/lib', '-L', 'lib'],
      ['drop -Wl, -rpath,/x', 'drop -l amdhip64', 'drop -L /usr/lib', 'drop -L lib'],
    ],
    [
      'options it does not know',
      ['-ffast-math', '-std=c++20', '-Wall'],
      ['keep -ffast-math', 'keep -std=c++20', 'keep -Wall'],
    ],
  ])('reads %s', (_case, args, expected) => {
    expect(kinds(...args)).toEqual(expected);
  });

  it('writes back what it read', () => {
    const args = ['-Ia', '-I', 'b', '-DX="y z"', '-mllvm', '-amdgpu-function-calls=false', '-O3', '-x', 'hip', 'k.hip'];
    expect(parseCompileArguments(args).flatMap(renderCompileArgument)).toEqual(args);
  });

  it('survives an option that lacks its value', () => {
    expect(kinds('-I')).toEqual(['include -I']);
  });
});
