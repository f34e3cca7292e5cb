import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { NativePaths } from '../native/native-paths';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { firstOf, preloaded } from './library-lists';
import { softgpuTargets } from './softgpu';

/**
 * `kfd` puts the emulated kernel driver below AMD's own runtime, to try and test the `hsa` device without an AMD GPU.
 */
export const levelVariable = 'KERNLOOP_SOFTGPU_LEVEL';

/** Topology folders of the emulated kernels, by release (native/softgpu/kfd/kernel.h). */
const topologies: Record<string, string> = { '6.1': 'topology', '6.12': 'topology-6.12' };

const linuxVariable = 'KERNLOOP_SOFTGPU_LINUX';

const identityStart = 'softgpu-kfd-';

/** Whether durations on a device are host processor times, because its driver is emulated. */
export const isEmulated = ({ identity }: { identity: string }): boolean => identity.startsWith(identityStart);

const softwareTime = "software GPU's time (no GPU time)";

/** Name of a device's durations in tables and pages: those of the software GPU are never called GPU time. */
export const timeWords = (device: { identity: string }, onGpu = 'GPU time'): string =>
  isEmulated(device) ? softwareTime : onGpu;

/** Name of the timer in a replay's result. A timer that measures only the GPU has another name, or none. */
export const softwareTimer = 'software-gpu';

export const wordsOfTimer = (timer: string | null): string =>
  timer?.split(', ').includes(softwareTimer) ? softwareTime : 'GPU time';

export interface EmulatedDriver {
  readonly library: string;
  readonly target: string;
  /** Release of the kernel whose driver it is. */
  readonly linux: string;
  /** Files that it shows in place of the real driver's. */
  readonly topology: string;
}

/** Emulated driver that the environment asks for; undefined means the machine's own driver. */
export function emulatedDriver(env: Environment, nativePaths: () => NativePaths): EmulatedDriver | undefined {
  const level = env[levelVariable];
  if (!level) return undefined;
  if (level !== 'kfd') {
    throw new KernloopError('USAGE', `${levelVariable} is ${level}`, 'set it to kfd, or unset it');
  }
  const target = env['KERNLOOP_SOFTGPU'] || 'gfx90a';
  if (!Object.keys(softgpuTargets).includes(target)) {
    throw new KernloopError(
      'USAGE',
      `the software GPU knows no target "${target}"`,
      `set KERNLOOP_SOFTGPU to one of ${Object.keys(softgpuTargets).join(', ')}`,
    );
  }
  const linux = env[linuxVariable] || '6.1';
  const topologyName = topologies[linux];
  if (topologyName === undefined) {
    throw new KernloopError(
      'USAGE',
      `no kernel "${linux}" is emulated`,
      `set ${linuxVariable} to one of ${Object.keys(topologies).join(', ')}, or unset it`,
    );
  }
  const folder = join(nativePaths().root, 'lib', 'kfd');
  const library = join(folder, 'libkernloop-kfd.so');
  const topology = join(folder, target, topologyName, 'nodes');
  const missing = [library, topology].find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${levelVariable}=kfd needs the emulated kernel driver, and ${missing} does not exist`,
      `it is built with the native tests: run \`npm run build:native\` in a checkout, or unset ${levelVariable}`,
    );
  }
  return { library, target, linux, topology };
}

export const emulatedIdentity = ({ target, linux }: EmulatedDriver, digest: string): string =>
  `${identityStart}${target}-linux-${linux}-${digest.slice(0, 12)}`;

/**
 * Preloads the library by name alone and puts its folder in the library path, like the software GPU's own libraries.
 */
export function emulatedVariables({ library, target }: EmulatedDriver, env: Environment): Record<string, string> {
  return {
    LD_LIBRARY_PATH: firstOf(dirname(library), env['LD_LIBRARY_PATH']),
    LD_PRELOAD: preloaded(basename(library), env),
    KERNLOOP_SOFTGPU: target,
  };
}
