import { renderCompileArgument } from './compile-arguments';
import { deviceKinds } from '../device/kinds';
import { thrown } from '../testing/failure';
import { dialectFor, dialects } from './dialects';

const unit = (compiler: string, args: string[], file = '/s/k.hip') =>
  dialects.hip.read({ directory: '/b', file, compiler, args, output: '/b/k.o' }, {});

describe('folders that the environment of the build adds', () => {
  const command = {
    directory: '/b',
    file: '/s/k.hip',
    compiler: 'hipcc',
    args: ['-Imine', '-c', '/s/k.hip'],
    output: '/b/k.o',
  };
  const rendered = (environment: Record<string, string>): string[] =>
    dialects.hip.read(command, environment)?.args.flatMap(renderCompileArgument) ?? [];

  it('come behind those of the command, as the compiler has them', () => {
    const words = rendered({ CPATH: '/one::/two', CPLUS_INCLUDE_PATH: '/three', C_INCLUDE_PATH: '/c-only' });
    expect(words.slice(-8)).toEqual(['-I', '/one', '-I', '.', '-I', '/two', '-isystem', '/three']);
    expect(words.indexOf('-Imine')).toBe(0);
  });

  it('are none where it names none', () => {
    expect(rendered({ CPATH: '' })).toEqual(rendered({}));
  });
});

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

describe('translationUnit of CUDA', () => {
  const cuda = (compiler: string, args: string[], file = '/s/k.cu') =>
    dialects.cuda.read({ directory: '/b', file, compiler, args, output: '/b/k.o' }, {});

  it.each([
    ['nvcc and a .cu file', '/cuda/bin/nvcc', ['-c', '/s/k.cu'], '/s/k.cu', true],
    ['nvcc and a .cpp file, which is host code', 'nvcc', ['-c', '/s/k.cpp'], '/s/k.cpp', false],
    ['nvcc told that a .cpp file is CUDA', 'nvcc', ['-x', 'cu', '-c', '/s/k.cpp'], '/s/k.cpp', true],
    ['nvcc told that a .cu file is C++', 'nvcc', ['-x=c++', '-c', '/s/k.cu'], '/s/k.cu', false],
    ['clang and a .cu file', 'clang++-15', ['/s/k.cu'], '/s/k.cu', true],
    ['clang told that it is CUDA', 'clang++', ['-x', 'cuda', '/s/k.cpp'], '/s/k.cpp', true],
    ['clang told that it is HIP', 'clang++', ['-x', 'hip', '/s/k.cu'], '/s/k.cu', false],
    ['hipcc', 'hipcc', ['/s/k.cu'], '/s/k.cu', false],
    ['g++', 'g++', ['/s/k.cu'], '/s/k.cu', false],
  ])('decides for %s', (_case, compiler, args, file, expected) => {
    expect(cuda(compiler, args, file) !== null).toBe(expected);
  });

  it('leaves nvcc to CUDA captures, and takes .cu files of hipcc for HIP', () => {
    expect(unit('nvcc', ['/s/k.cu'], '/s/k.cu')).toBeNull();
    expect(unit('hipcc', ['/s/k.cu'], '/s/k.cu')).not.toBeNull();
  });

  it('adds the options that the environment of the build gives nvcc, on their sides', () => {
    const command = {
      directory: '/b',
      file: '/s/k.cu',
      compiler: 'nvcc',
      args: ['-O2', '/s/k.cu'],
      output: '/b/a.out',
    };
    const environment = { NVCC_PREPEND_FLAGS: '-ccbin "g++-12" -DA', NVCC_APPEND_FLAGS: '-DB="x y"' };
    const found = dialects.cuda.read(command, environment);
    expect(found?.hostCompiler).toBe('g++-12');
    expect(found?.args.map(({ option, value }) => option + (value ?? ''))).toEqual(['-DA', '-O2', '-DB=x y', '-xcu']);
  });
});

describe('the dialect of C++ for a device', () => {
  it('is one and no other, for every device', () => {
    const found = deviceKinds.map((kind) => [kind, dialectFor(kind).name]);
    expect(Object.fromEntries(found)).toEqual({ softgpu: 'hip', hsa: 'hip', cuda: 'cuda' });
    const devices = Object.values(dialects).flatMap((dialect) => dialect.devices);
    expect([...devices].sort()).toEqual([...deviceKinds].sort());
  });

  it('is not guessed for a device of a later version', () => {
    expect(thrown(() => dialectFor('metal'))).toMatchObject({ code: 'CAPTURE_INVALID' });
  });
});
