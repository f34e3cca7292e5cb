import { basename } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError, nearest } from '../support/error';
import { KnownDigests } from '../support/known-digests';
import type { Device } from './device';
import { hsaAgent } from './hsa-agent';
import { firstOf, preloaded } from './library-lists';
import type { Environment } from '../support/environment';

/** Targets of the software GPU. Others are refused rather than guessed. */
export const softgpuTargets = {
  gfx90a: { isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-', wavefrontSize: 64 },
  gfx1030: { isa: 'amdgcn-amd-amdhsa--gfx1030', wavefrontSize: 32 },
  gfx942: { isa: 'amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-', wavefrontSize: 64 },
  gfx1100: { isa: 'amdgcn-amd-amdhsa--gfx1100', wavefrontSize: 32 },
} as const;

/**
 * Target that runs code captured for `isa`. Hardware of the same kind may have had features enabled that this target
 * lacks.
 */
export function softgpuTargetOf(isa: string): string {
  const [processor = '', ...features] = (isa.split('--')[1] ?? isa).split(':');
  const names = Object.keys(softgpuTargets).join(', ');
  const known = Object.entries(softgpuTargets).find(([name]) => name === processor)?.[1];
  if (!known) {
    throw new KernloopError(
      'DEVICE_MISMATCH',
      `the capture is of ${processor}, which the software GPU does not present (it has ${names})`,
      'replay it on hardware of that kind (--device hsa), or capture the program built for one of these',
    );
  }
  const has = known.isa.split(':').slice(1);
  const lacking = features.filter((feature) => !has.includes(feature));
  if (lacking.length > 0) {
    throw new KernloopError(
      'DEVICE_MISMATCH',
      `the capture is of ${processor} with ${lacking.join(' and ')}, and the software GPU is ${known.isa.split('--')[1] ?? ''}`,
      'replay it on hardware with these settings (--device hsa), or capture without them (HSA_XNACK=0)',
    );
  }
  return processor;
}

/** The mapping of lanes to LDS banks is published for gfx90a alone (native/softgpu/engine/observe/bank_conflicts.h). */
export const countsLdsConflicts = (isa: string): boolean => isa === softgpuTargets.gfx90a.isa;

/**
 * Variables that change the effect of a dispatch or its messages (native/softgpu/hsa/host/options.h): inputs of every task
 * that runs one.
 */
export const softgpuVariables = [
  'KERNLOOP_SOFTGPU_CHECK',
  'KERNLOOP_SOFTGPU_FATAL',
  'KERNLOOP_SOFTGPU_LLVM',
  'KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS',
  'KERNLOOP_SOFTGPU_SEED',
  'KERNLOOP_SOFTGPU_THREADS',
  'KERNLOOP_SOFTGPU_TRANSLATE',
] as const;

export function openSoftgpu(target: string, deps: Deps): Device {
  const known = Object.entries(softgpuTargets).find(([name]) => name === target)?.[1];
  if (!known) {
    const close = nearest(target, Object.keys(softgpuTargets), 1);
    throw new KernloopError(
      'USAGE',
      `the software GPU knows no target "${target}"`,
      `use one of ${Object.keys(softgpuTargets).join(', ')}${close[0] ? `; did you mean ${close[0]}?` : ''}`,
    );
  }
  const { native } = deps;
  const libraryPath = (env: Environment): string => firstOf(native.softgpuDir, env['LD_LIBRARY_PATH']);
  return {
    description: {
      kind: 'softgpu',
      identity: softgpuIdentity(target, native.softgpu),
      isa: known.isa,
      name: 'Software AMD GPU',
      wavefront_size: known.wavefrontSize,
    },
    work: 'wave_instructions',
    seeded: true,
    measuring: { iterations: 1, warmup: 0, cache: null },
    lock: null,
    agent: hsaAgent(native.agentHsa),
    env: { LD_LIBRARY_PATH: libraryPath(deps.env), KERNLOOP_SOFTGPU: target },
    appLibraries: (user) => ({
      LD_LIBRARY_PATH: libraryPath(user),
      LD_PRELOAD: preloaded(basename(native.hipErrors), user),
    }),
    runtime: native.softgpu,
    hasNvrtc: false,
    hasSanitizer: false,
    hasPtx: false,
    replayArguments: ['--hsa-runtime', native.softgpu],
  };
}

/** Another build of the interpreter counts as another device: it may compute other results. */
export function softgpuIdentity(target: string, library: string): string {
  return `softgpu-${target}-${KnownDigests.ofProcess().of(library).slice(0, 12)}`;
}
