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

/** Null if the version is unknown. */
export function hipMajor(rocm: string): number | null {
  try {
    const text = readFileSync(join(rocm, 'include', 'hip', 'hip_version.h'), 'utf8');
    const [, major] = /#define\s+HIP_VERSION_MAJOR\s+(\d+)/.exec(text) ?? [];
    return major === undefined ? null : Number(major);
  } catch {
    return null;
  }
}

/** Major version of the installed HIP; null if none is found. */
export function installedHip(env: Environment): number | null {
  const rocm = rocmFolder(env);
  return rocm === null ? null : hipMajor(rocm);
}
