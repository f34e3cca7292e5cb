import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cudaHost } from '../../lib/device/cuda-host';
import { emulatedDriver } from '../../lib/device/emulated-driver';
import { firstGpu, topologyFolder } from '../../lib/device/hsa';
import type { DeviceKind } from '../../lib/device/kinds';
import {
  coreProducts,
  findNative,
  restProducts,
  type NativePaths,
  type NativeProduct,
} from '../../lib/native/native-paths';
import { isLeftOut } from '../../lib/native/rest';
import { pgoToolchainIdentity } from '../../lib/pgo/identity';
import { KernloopError } from '../../lib/support/error';
import { sha256, sha256OfFile } from '../../lib/support/files';
import { KnownDigests } from '../../lib/support/known-digests';
import { packageRoot, version } from '../../lib/support/version';
import { toolchainIdentity } from '../../lib/toolchain/identity';
import type { Environment } from '../../lib/support/environment';

/** Variable with the identity of a device, for its own tasks: see `deviceVariable`. */
type DeviceVariable = `KERNLOOP_DEVICE_ID_${Uppercase<DeviceKind>}`;

/**
 * Inputs that are no files of the workspace, as variables: they are set once before the tasks of a command run, and
 * inferred targets name them. (`runtime` inputs would start a program for each, and ignore its exit code.) None depends
 * on one machine alone: equal installations on equal machines have equal values, so that a cache can be shared.
 */
export interface IdentityVariables extends Record<DeviceVariable, string> {
  KERNLOOP_PACKAGE_DIGEST: string;
  KERNLOOP_NATIVE_DIGEST: string;
  /** Digest of programs that few tasks use, and that a checkout builds on first use. */
  KERNLOOP_NATIVE_REST_DIGEST: string;
  /** Digest of devices that a task may use instead of its own: see `namedDevices`. */
  KERNLOOP_DEVICE_ID_NAMED: string;
  KERNLOOP_TOOLCHAIN: string;
  KERNLOOP_PGO_TOOLCHAIN: string;
}

export const deviceVariable = (kind: DeviceKind): DeviceVariable =>
  `KERNLOOP_DEVICE_ID_${kind.toUpperCase() as Uppercase<DeviceKind>}`;

export function identityVariables(
  env: Environment,
  named: readonly DeviceKind[],
  pools: readonly string[] = [],
): IdentityVariables {
  const digests = KnownDigests.of(env);
  const native = nativeOrNone(env);
  const rest = native ? restDigest(native, digests) : 'none';
  const devices: Record<DeviceKind, string> = {
    softgpu: `${native ? digests.of(native.softgpu) : 'none'} ${hipRuntime(env, digests)}`,
    hsa: [amdHost(env, native, digests), hipRuntime(env, digests), ...pools].join(' '),
    cuda: [cudaHost(env).identity, rest, ...pools].join(' '),
  };
  const variables = {
    KERNLOOP_PACKAGE_DIGEST: packageDigest(packageRoot),
    KERNLOOP_NATIVE_DIGEST: native ? coreDigest(native, digests) : 'none',
    KERNLOOP_NATIVE_REST_DIGEST: rest,
    KERNLOOP_DEVICE_ID_SOFTGPU: devices.softgpu,
    KERNLOOP_DEVICE_ID_HSA: devices.hsa,
    KERNLOOP_DEVICE_ID_CUDA: devices.cuda,
    KERNLOOP_DEVICE_ID_NAMED: named.map((kind) => `${kind} ${devices[kind]}`).join(' '),
    KERNLOOP_TOOLCHAIN: toolchainIdentity(env, digests),
    KERNLOOP_PGO_TOOLCHAIN: pgoToolchainIdentity(env, digests),
  };
  digests.save();
  return variables;
}

/**
 * Without the native programs other tasks of the workspace still run; Kernloop's tasks fail and report what is missing.
 */
function nativeOrNone(env: Environment): NativePaths | undefined {
  try {
    return findNative(env);
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/** Digest of programs that every stage uses: it stays the same when the rest is built. */
export const coreDigest = (native: NativePaths, digests: Pick<KnownDigests, 'of'>): string =>
  digestOf(coreProducts, native, digests);

/** Until a checkout has built the rest, its digest is unknown: a random value keeps results out of the cache. */
export const restDigest = (native: NativePaths, digests: Pick<KnownDigests, 'of'>): string =>
  isLeftOut(native) ? `not built ${randomUUID()}` : digestOf(restProducts, native, digests);

/** A missing product has another digest than any existing one. */
function digestOf(products: readonly NativeProduct[], native: NativePaths, digests: Pick<KnownDigests, 'of'>): string {
  const digest = (path: string): string => (existsSync(path) ? digests.of(path) : 'none');
  return sha256(products.map((name) => `${name} ${digest(native[name])}`).join('\n'));
}

const hipFolders = ['/opt/rocm/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'];

/** HIP runtime, which launches with `--launch hip` and which most apps use. */
export function hipRuntime(
  env: Environment,
  digests: Pick<KnownDigests, 'of'>,
  installed: readonly string[] = hipFolders,
): string {
  const named = (env['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean);
  const libraries = [...named, ...installed].flatMap((folder) => filesNamed(folder, 'libamdhip64.so'));
  const [first] = libraries;
  return first === undefined ? 'none' : digests.of(first).slice(0, 16);
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

const amdDriver = '/sys/module/amdgpu/version';

/** Model of the GPU, and its driver if that has a separate version (ROCm's package, not Linux's). */
function amdHost(env: Environment, native: NativePaths | undefined, digests: Pick<KnownDigests, 'of'>): string {
  try {
    const emulated = emulatedDriver(env, () => native ?? findNative(env));
    if (emulated) return `emulated ${emulated.target} ${digests.of(emulated.library)}`;
    const driver = existsSync(amdDriver) ? readFileSync(amdDriver, 'utf8').trim() : '';
    return `${firstGpu(topologyFolder).isa} ${driver}`;
  } catch {
    return 'none';
  }
}

/** The version; in a checkout also the sources, because editing an executor does not change the version. */
function packageDigest(root: string): string {
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
