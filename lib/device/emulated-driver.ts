import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { NativePaths } from '../native/native-paths';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { firstOf, preloaded } from './library-lists';
import { softgpuTargets } from './softgpu';

/** `kfd` puts the emulated kernel driver below AMD's own runtime: for tests and trials of the `hsa` device where there is no AMD GPU. */
export const levelVariable = 'KERNLOOP_SOFTGPU_LEVEL';

const identityStart = 'softgpu-kfd-';

/** Durations of an emulated device are times of host processors. */
export const isEmulated = ({ identity }: { identity: string }): boolean => identity.startsWith(identityStart);

const softwareTime = "software GPU's time (no GPU time)";

/** The name of a device's durations in tables and pages: those of the software GPU are never called GPU time. */
export const timeWords = (device: { identity: string }, onGpu = 'GPU time'): string =>
  isEmulated(device) ? softwareTime : onGpu;

/** The name of the timer in a replay's result; one that takes only that of the GPU has another name, or none. */
export const softwareTimer = 'software-gpu';

export const wordsOfTimer = (timer: string | null): string =>
  timer?.split(', ').includes(softwareTimer) ? softwareTime : 'GPU time';

export interface EmulatedDriver {
  readonly library: string;
  readonly target: string;
  /** The files that it shows in place of the real driver's. */
  readonly topology: string;
}

/** The emulated driver that the environment asks for; undefined: the machine's own. */
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
  const folder = join(nativePaths().root, 'lib', 'kfd');
  const library = join(folder, 'libkernloop-kfd.so');
  const topology = join(folder, target, 'topology', 'nodes');
  const missing = [library, topology].find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${levelVariable}=kfd needs the emulated kernel driver, and ${missing} does not exist`,
      `it is built with the native tests: run \`npm run build:native\` in a checkout, or unset ${levelVariable}`,
    );
  }
  return { library, target, topology };
}

export const emulatedIdentity = ({ target }: EmulatedDriver, digest: string): string =>
  `${identityStart}${target}-${digest.slice(0, 12)}`;

/** By its name alone, which the library path leads to, as the software GPU's own libraries are loaded. */
export function emulatedVariables({ library, target }: EmulatedDriver, env: Environment): Record<string, string> {
  return {
    LD_LIBRARY_PATH: firstOf(dirname(library), env['LD_LIBRARY_PATH']),
    LD_PRELOAD: preloaded(basename(library), env),
    KERNLOOP_SOFTGPU: target,
  };
}
