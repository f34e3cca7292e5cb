import { translationUnit } from './translation-unit';

const unit = (compiler: string, args: string[], file = '/s/k.hip') =>
  translationUnit({ directory: '/b', file, compiler, args }, 'hip');

describe('translationUnit of HIP', () => {
  it.each([
    ['hipcc and a .hip file', '/usr/bin/hipcc', ['-c', '/s/k.hip'], '/s/k.hip', true],
    ['hipcc and a .cpp file', '/usr/bin/hipcc', ['-c', '/s/k.cpp'], '/s/k.cpp', true],
    ['hipcc told that it is C++', 'hipcc', ['-x', 'c++', '/s/k.cpp'], '/s/k.cpp', false],
    [
      'hipcc told C++ first and HIP last, as CMake does',
      'hipcc',
      ['-x', 'c++', '-x', 'hip', '/s/k.hip'],
      '/s/k.hip',
      true,
    ],
    ['-x after the file, which does not concern it', 'hipcc', ['/s/k.hip', '-x', 'c++'], '/s/k.hip', true],
    ['clang and a .hip file', 'clang++-15', ['/s/k.hip'], '/s/k.hip', true],
    ['clang and a .cpp file', 'clang++-15', ['/s/k.cpp'], '/s/k.cpp', false],
    ['clang told that a .cpp file is HIP', 'clang++-15', ['-xhip', '../s/k.cpp'], '/s/k.cpp', true],
    ['g++', '/usr/bin/g++', ['/s/k.hip'], '/s/k.hip', false],
    ['a C file', 'hipcc', ['/s/k.c'], '/s/k.c', false],
  ])('decides for %s', (_case, compiler, args, file, expected) => {
    expect(unit(compiler, args, file) !== null).toBe(expected);
  });

  it('keeps the options, drops the inputs and ends with the language', () => {
    const args = unit('/opt/rocm/bin/hipcc', [
      '-DA',
      '-x',
      'c++',
      '-O2',
      '-x',
      'hip',
      '-c',
      '/s/k.hip',
      'other.o',
    ])?.args;
    expect(args?.map(({ option, value }) => option + (value ?? ''))).toEqual(['-DA', '-O2', '-c', '-xhip']);
  });
});
