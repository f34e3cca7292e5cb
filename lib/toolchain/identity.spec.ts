import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toolchainIdentity } from './identity';
import { dynamicProgram } from './testing/dynamic-program';

let folder: string;
/** Shares the cache, so that installed files are hashed once for all tests. */
const cached = { XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), 'kernloop-digests-')) };
afterAll(() => rmSync(cached.XDG_CACHE_HOME, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-identity-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'hipcc'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(folder, 'bin', 'hipcc'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const identity = (): string => toolchainIdentity({ ...cached, PATH: join(folder, 'bin') });

describe('toolchainIdentity', () => {
  it('is the same as long as nothing changes, without starting the compiler', () => {
    expect(identity()).toMatch(/^[0-9a-f]{64}$/);
    expect(identity()).toBe(identity());
  });

  it('changes with the content of the driver, even where its time stays', () => {
    const before = identity();
    const path = join(folder, 'bin', 'hipcc');
    utimesSync(path, 0, 0);
    expect(identity()).toBe(before);
    writeFileSync(path, '#!/bin/sh\nexit 2\n');
    utimesSync(path, 0, 0);
    expect(identity()).not.toBe(before);
  });

  it('changes with the libraries that hold the compiler', () => {
    const before = identity();
    mkdirSync(join(folder, 'lib'));
    writeFileSync(join(folder, 'lib', 'libLLVM-15.so.1'), 'compiler');
    expect(identity()).not.toBe(before);
  });

  it('changes with the libraries that a compiler needs, wherever they lie: Debian has libLLVM beside those of the system', () => {
    const compiler = join(folder, 'bin', 'clang++-15');
    writeFileSync(compiler, dynamicProgram(['libLLVM-15.so.1', 'libother.so'], { runpath: '$ORIGIN/../system' }));
    chmodSync(compiler, 0o755);
    mkdirSync(join(folder, 'system'));
    const library = join(folder, 'system', 'libLLVM-15.so.1');
    writeFileSync(library, 'one');
    const before = identity();
    writeFileSync(join(folder, 'system', 'libother.so'), 'what computes nothing');
    expect(identity()).toBe(before);
    writeFileSync(library, 'two');
    expect(identity()).not.toBe(before);
  });

  it.each([
    'hipcc.pl',
    'hipconfig.pl',
    'hipvars.pm',
    '.hipVersion',
    '../lib/.hipInfo',
    'ld.lld',
    'clang-offload-bundler',
  ])('changes with what hipcc reads or starts: %s', (name) => {
    mkdirSync(join(folder, 'lib'));
    const before = identity();
    writeFileSync(join(folder, 'bin', name), 'one');
    const first = identity();
    writeFileSync(join(folder, 'bin', name), 'two');
    expect(new Set([before, first, identity()]).size).toBe(3);
  });

  it("changes with every clang of the folder that HIP_CLANG_PATH names: Debian's hipcc starts clang++-15", () => {
    mkdirSync(join(folder, 'llvm'));
    const there = (): string =>
      toolchainIdentity({ ...cached, PATH: join(folder, 'bin'), HIP_CLANG_PATH: join(folder, 'llvm') });
    writeFileSync(join(folder, 'llvm', 'clang++'), 'clang');
    const before = there();
    writeFileSync(join(folder, 'llvm', 'clang++-15'), 'another');
    expect(there()).not.toBe(before);
  });

  it("changes with a clang of any version on the PATH: Debian's hipcc 7 starts clang++-21", () => {
    const path = join(folder, 'bin', 'clang++-21');
    writeFileSync(path, 'one');
    chmodSync(path, 0o755);
    const before = identity();
    writeFileSync(path, 'two');
    expect(identity()).not.toBe(before);
  });

  it('changes with what takes one kernel out of a unit, which lies beside the compiler', () => {
    const before = identity();
    const path = join(folder, 'bin', 'llvm-extract');
    writeFileSync(path, 'one');
    const first = identity();
    writeFileSync(path, 'two');
    expect(new Set([before, first, identity()]).size).toBe(3);
  });

  it('is that of equal files elsewhere, whenever they were installed', () => {
    mkdirSync(join(folder, 'lib'));
    writeFileSync(join(folder, 'lib', 'libLLVM-15.so.1'), Buffer.alloc(2 << 20, 1));
    const other = mkdtempSync(join(tmpdir(), 'kernloop-identity-'));
    try {
      cpSync(folder, other, { recursive: true });
      const library = join(other, 'lib', 'libLLVM-15.so.1');
      utimesSync(library, 1, 1);
      const there = (): string => toolchainIdentity({ ...cached, PATH: join(other, 'bin') });
      expect(there()).toBe(identity());
      writeFileSync(library, Buffer.alloc(2 << 20, 2));
      utimesSync(library, 1, 1);
      expect(there()).not.toBe(identity());
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('changes with a program that nvcc starts', () => {
    for (const program of ['bin/nvcc', 'bin/ptxas']) {
      writeFileSync(join(folder, program), '#!/bin/sh\nexit 1\n');
      chmodSync(join(folder, program), 0o755);
    }
    const before = identity();
    writeFileSync(join(folder, 'bin', 'ptxas'), '#!/bin/sh\nexit 2\n');
    expect(identity()).not.toBe(before);
  });

  it.each([
    ['ROCM_PATH', 'llvm/bin/clang++'],
    ['ROCM_PATH', 'amdgcn/bitcode/ocml.bc'],
    ['HIP_CLANG_PATH', 'clang++'],
    ['DEVICE_LIB_PATH', 'ocml.bc'],
    ['HIP_DEVICE_LIB_PATH', 'ockl.bc'],
    ['KERNLOOP_NVRTC', 'libnvrtc.so.13'],
  ])('changes with %s, and with what lies there: %s', (name, file) => {
    const place = join(folder, 'installed', file);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, 'one');
    const value = name === 'KERNLOOP_NVRTC' ? place : join(folder, 'installed');
    const there = (): string => toolchainIdentity({ ...cached, PATH: join(folder, 'bin'), [name]: value });
    const before = there();
    expect(before).not.toBe(identity());
    expect(there()).toBe(before);
    writeFileSync(place, 'two');
    expect(there()).not.toBe(before);
  });

  it.each(['llvm/bin/clang++', 'lib/llvm/bin/clang++', 'amdgcn/bitcode/ocml.bc', 'share/hip/version'])(
    'changes with what hipcc finds beside itself, without a variable: %s',
    (file) => {
      const place = join(folder, file);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, 'one');
      // AMD installs a link on the PATH, in a folder without the rest of the installation.
      mkdirSync(join(folder, 'linked'));
      symlinkSync('../bin/hipcc', join(folder, 'linked', 'hipcc'));
      const linked = (): string => toolchainIdentity({ ...cached, PATH: join(folder, 'linked') });
      const before = [identity(), linked()];
      expect([identity(), linked()]).toEqual(before);
      writeFileSync(place, 'two');
      expect(identity()).not.toBe(before[0]);
      expect(linked()).not.toBe(before[1]);
    },
  );

  it('does not change with what is set aside, or is none of its business', () => {
    const before = identity();
    for (const name of ['CPATH', 'HIPCC_COMPILE_FLAGS_APPEND', 'NVCC_APPEND_FLAGS', 'EDITOR'])
      expect(toolchainIdentity({ ...cached, PATH: join(folder, 'bin'), [name]: '/x' })).toBe(before);
  });

  it('is a digest where no compiler is installed', () => {
    expect(toolchainIdentity({ ...cached, PATH: '' })).toMatch(/^[0-9a-f]{64}$/);
  });
});
