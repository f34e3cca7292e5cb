import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SystemFolders } from './system-folders';
import { isInside } from '../support/files';

let root: string;
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'kernloop-system-')))));
afterEach(() => rmSync(root, { recursive: true }));

function file(path: string): string {
  const absolute = join(root, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, '');
  return absolute;
}

describe('SystemFolders', () => {
  it('takes headers of packages for system headers, and those of a home folder not', () => {
    const system = new SystemFolders(['/usr/bin/hipcc'], {});
    expect(system.contain('/usr/include/hip/hip_runtime.h')).toBe(true);
    expect(system.contain('/usrlocal/x.h')).toBe(false);
    expect(system.contain(join(root, 'x.h'))).toBe(false);
  });

  it.each(['rocm/bin/hipcc', 'rocm/llvm/bin/clang++', 'rocm/lib/llvm/bin/clang++'])(
    'takes the headers of a toolchain that is unpacked anywhere for system headers: %s',
    (path) => {
      const header = file('rocm/include/hip/hip_runtime.h');
      const compiler = file(path);
      symlinkSync(compiler, join(root, 'linked'));
      expect(new SystemFolders([join(root, 'linked')], {}).contain(header)).toBe(true);
      expect(new SystemFolders([], { ROCM_PATH: join(root, 'rocm') }).contain(header)).toBe(true);
      expect(new SystemFolders([], {}).contain(header)).toBe(false);
    },
  );

  it('takes the headers of a CUDA toolkit that is unpacked anywhere for system headers', () => {
    const header = file('cuda/targets/x86_64-linux/include/cuda_runtime.h');
    file('cuda/nvvm/bin/cicc');
    expect(new SystemFolders([file('cuda/bin/nvcc')], {}).contain(header)).toBe(true);
    expect(new SystemFolders([], { CUDA_HOME: join(root, 'cuda') }).contain(header)).toBe(true);
    expect(new SystemFolders([], {}).contain(header)).toBe(false);
  });

  it("does not take the folder around a wrapper script for the toolchain's", () => {
    expect(new SystemFolders([file('bin/hipcc')], {}).contain(file('projects/mine.h'))).toBe(false);
  });
});

describe('isInside', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/a/..b', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/a/b', '/c', false],
  ])('%s and %s: %s', (folder, path, expected) => {
    expect(isInside(folder, path)).toBe(expected);
  });
});
