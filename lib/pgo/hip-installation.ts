import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { debianBitcode } from '../toolchain/device-libraries';
import type { Environment } from '../support/environment';

/** Folder of the HIP headers, for `--rocm-path`; null if there is none. */
export function rocmFolder(env: Environment): string | null {
  const named = [env['ROCM_PATH'] ?? '', env['HIP_PATH'] ?? ''].filter(isAbsolute);
  return (
    [...named, '/opt/rocm', '/usr'].find((folder) => existsSync(join(folder, 'include', 'hip', 'hip_runtime.h'))) ??
    null
  );
}

/** Folder of the bitcode that every HIP kernel is linked with; null if there is none. */
export function deviceLibraryFolder(env: Environment, installed?: string): string | null {
  const named = [env['HIP_DEVICE_LIB_PATH'] ?? '', env['DEVICE_LIB_PATH'] ?? ''].filter(isAbsolute);
  const rocm = rocmFolder(env);
  const folders = [
    ...named,
    ...(rocm === null ? [] : [join(rocm, 'amdgcn', 'bitcode')]),
    '/opt/rocm/amdgcn/bitcode',
    '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode',
    ...debianBitcode(installed),
  ];
  return folders.find((folder) => existsSync(join(folder, 'ockl.bc'))) ?? null;
}

export interface HipRelease {
  major: number;
  minor: number;
}

/** Null if the version is unknown. */
export function hipRelease(rocm: string): HipRelease | null {
  try {
    const text = readFileSync(join(rocm, 'include', 'hip', 'hip_version.h'), 'utf8');
    const number = (part: string): number | null => {
      const found = new RegExp(`#define\\s+HIP_VERSION_${part}\\s+(\\d+)`).exec(text)?.[1];
      return found === undefined ? null : Number(found);
    };
    const major = number('MAJOR');
    return major === null ? null : { major, minor: number('MINOR') ?? 0 };
  } catch {
    return null;
  }
}

/** Release of the installed HIP; null if none is found. */
export function installedHip(env: Environment): HipRelease | null {
  const rocm = rocmFolder(env);
  return rocm === null ? null : hipRelease(rocm);
}
