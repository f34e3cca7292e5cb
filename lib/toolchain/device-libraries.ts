import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of ROCm's device libraries, which Debian since HIP 6 installs with hipcc's clang; newest first. */
export function debianBitcode(installed = '/usr/lib'): string[] {
  return majorsIn(installed)
    .sort((a, b) => b - a)
    .map((major) => join(installed, `llvm-${major}`, 'lib', 'clang', `${major}`, 'amdgcn', 'bitcode'))
    .filter((folder) => existsSync(folder));
}

function majorsIn(installed: string): number[] {
  try {
    return readdirSync(installed).flatMap((name) => {
      const major = /^llvm-(\d+)$/.exec(name)?.[1];
      return major === undefined ? [] : [Number(major)];
    });
  } catch {
    return [];
  }
}
