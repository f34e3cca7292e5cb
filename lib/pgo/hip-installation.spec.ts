import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianBitcode } from '../toolchain/device-libraries';
import { deviceLibraryFolder } from './hip-installation';

let installed: string;
beforeEach(() => (installed = mkdtempSync(join(tmpdir(), 'kernloop-lib-'))));
afterEach(() => rmSync(installed, { recursive: true }));

function bitcode(llvm: number, clang = llvm): string {
  const folder = join(installed, `llvm-${llvm}`, 'lib', 'clang', `${clang}`, 'amdgcn', 'bitcode');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ockl.bc'), '');
  return folder;
}

describe('the device libraries of Debian since HIP 6', () => {
  it('lie among the files of a clang, of which the newest counts', () => {
    const [nine, twentyOne] = [bitcode(9), bitcode(21)];
    expect(debianBitcode(installed)).toEqual([twentyOne, nine]);
    mkdirSync(join(installed, 'llvm-22', 'lib', 'clang', '22'), { recursive: true });
    expect(debianBitcode(installed)).toEqual([twentyOne, nine]);
  });

  it('are found for PGO where no other place has them', () => {
    // Libraries installed on this machine take precedence.
    const before = deviceLibraryFolder({ ROCM_PATH: installed }, installed);
    const folder = bitcode(21);
    expect(deviceLibraryFolder({ ROCM_PATH: installed }, installed)).toBe(before ?? folder);
  });

  it('are none where nothing is installed', () => {
    expect(debianBitcode(join(installed, 'none'))).toEqual([]);
  });
});
