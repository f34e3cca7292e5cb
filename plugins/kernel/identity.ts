import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cudaHost } from '../../lib/device/cuda-host';
import { firstGpu, topologyFolder } from '../../lib/device/hsa';
import { findNative, nativeProducts, type NativePaths } from '../../lib/native/native-paths';
import { softgpuIdentity } from '../../lib/device/softgpu';
import { storeGeneration } from '../../lib/store/generation';
import { KernloopError } from '../../lib/support/error';
import { sha256, sha256OfFile } from '../../lib/support/files';
import { packageRoot, version } from '../../lib/support/version';
import { toolchainIdentity } from '../../lib/toolchain/identity';
import type { Environment } from '../../lib/support/environment';

/**
 * Inputs that are no files of the workspace, as variables: they are set once before the tasks of a command run, and inferred
 * targets name them. (`runtime` inputs would start a program for each, and ignore its exit code.)
 */
export interface IdentityVariables {
  KERNLOOP_PACKAGE_DIGEST: string;
  KERNLOOP_NATIVE_DIGEST: string;
  KERNLOOP_DEVICE_ID: string;
  KERNLOOP_TOOLCHAIN: string;
  KERNLOOP_STORE_GENERATION: string;
}

export function identityVariables(workspaceRoot: string, env: Environment): IdentityVariables {
  const native = nativeOrNone(env);
  return {
    KERNLOOP_PACKAGE_DIGEST: packageDigest(packageRoot),
    KERNLOOP_NATIVE_DIGEST: native ? nativeDigest(native) : 'none',
    KERNLOOP_DEVICE_ID: deviceId(native, env),
    KERNLOOP_TOOLCHAIN: toolchainIdentity(env),
    KERNLOOP_STORE_GENERATION: storeGeneration(workspaceRoot, env),
  };
}

/** Without the native programs other tasks of the workspace still run; ours then fail and say what is missing. */
function nativeOrNone(env: Environment): NativePaths | undefined {
  try {
    return findNative(env);
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/** Of every product; one that a build lacks is told from one that it has. */
export function nativeDigest(native: NativePaths): string {
  const digest = (path: string): string => (existsSync(path) ? sha256OfFile(path) : 'none');
  return sha256(nativeProducts.map((name) => `${name} ${digest(native[name])}`).join('\n'));
}

function deviceId(native: NativePaths | undefined, env: Environment): string {
  const software = native ? softgpuIdentity(env['KERNLOOP_SOFTGPU'] || 'gfx90a', native.softgpu) : 'none';
  return `${software} ${amdId()} ${cudaHost(env).identity} ${hipRuntime(env)}`;
}

const hipFolders = ['/opt/rocm/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'];

/** What launches with `--launch hip`, and below most apps: by size and time, since it is large. */
export function hipRuntime(env: Environment, installed: readonly string[] = hipFolders): string {
  const named = (env['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean);
  const libraries = [...named, ...installed].flatMap((folder) => filesNamed(folder, 'libamdhip64.so'));
  const [first] = libraries;
  if (first === undefined) return 'none';
  const { size, mtimeMs } = statSync(first);
  return sha256(`${realpathSync(first)} ${size} ${mtimeMs}`).slice(0, 16);
}

function filesNamed(folder: string, start: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(start))
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path));
  } catch {
    return [];
  }
}

function amdId(): string {
  try {
    return firstGpu(topologyFolder).identity;
  } catch {
    return 'none';
  }
}

/** The version; in a checkout also the sources, since editing an executor invalidates nothing by itself. */
export function packageDigest(root: string): string {
  if (!existsSync(join(root, 'cli', 'main.ts'))) return version;
  const files = ['lib', 'executors', 'generators'].flatMap((folder) => filesBelow(join(root, folder)));
  return sha256([version, ...files.map((file) => `${relative(root, file)} ${sha256OfFile(file)}`)].join('\n'));
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
