import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../support/files';
import type { Environment } from '../support/environment';

/** Folders where distributions and packages put headers. */
const common = ['/usr', '/opt', '/lib', '/lib64', '/nix/store', '/gnu/store'];

/** Whether a path is the system's on any machine, so that it reveals nothing about its user. */
export const isOfTheSystem = (path: string): boolean => common.some((folder) => isInside(folder, path));

const installationVariables = ['ROCM_PATH', 'HIP_PATH', 'CUDA_HOME', 'CUDA_PATH', 'CUDAToolkit_ROOT'];

/** Folders whose headers are not copied, because every machine with the toolchain has them. */
export class SystemFolders {
  private readonly folders: string[];

  /** `compilers` are absolute paths: a toolchain may be unpacked anywhere, with its headers beside it. */
  constructor(compilers: readonly string[], env: Environment) {
    this.folders = [...common, ...installations(compilers, env)];
  }

  /** `real` is a path with links followed. */
  contain(real: string): boolean {
    return this.folders.some((folder) => isInside(folder, real));
  }
}

/** Folders of toolchains, with links followed: those of the compilers and those that variables name. */
export function installations(compilers: readonly string[], env: Environment): string[] {
  const named = installationVariables.map((name) => env[name] ?? '').filter(isAbsolute);
  return [...named.map(realpathOrSame), ...compilers.map(installationOf)].filter(holdsToolchain);
}

/** Installation of a compiler: `rocm/bin/hipcc` and `rocm/llvm/bin/clang++` both belong to `rocm`. */
function installationOf(compiler: string): string {
  const prefix = dirname(dirname(realpathOrSame(compiler)));
  const above = dirname(prefix);
  if (basename(prefix) !== 'llvm') return prefix;
  return basename(above) === 'lib' ? dirname(above) : above;
}

/** Excludes wrapper scripts in a private bin/, whose neighbours are not the toolchain's. */
function holdsToolchain(folder: string): boolean {
  return ['include/hip', 'lib/clang', 'lib/llvm', 'llvm', 'nvvm'].some((part) => existsSync(join(folder, part)));
}

function realpathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
