import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import type { Device, DeviceDescription } from './device';
import {
  emulatedDriver,
  emulatedIdentity,
  emulatedVariables,
  levelVariable,
  type EmulatedDriver,
} from './emulated-driver';
import { rocmAgent } from './hsa-agent';
import { lockFile } from './lock-file';

/** Folder in which the amdgpu driver describes its nodes (Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c). */
export const topologyFolder = '/sys/class/kfd/kfd/topology/nodes';

/** ROCr as the loader finds it for apps. */
export const systemHsaRuntime = 'libhsa-runtime64.so.1';

/** Variable that names another runtime file for replays, for apps that bring their own. */
export const hsaRuntimeVariable = 'KERNLOOP_HSA_RUNTIME';

export function openHsa(deps: Deps, topology = topologyFolder): Device {
  const runtime = deps.env[hsaRuntimeVariable];
  const emulated = emulatedDriver(deps.env, () => deps.native);
  const description = identifiedBy(emulated ? emulatedGpu(emulated) : firstGpu(topology), runtime);
  if (!emulated) warnOfOthers(gpusIn(topology), deps);
  deps.report.warn(
    emulated
      ? `the hsa device is emulated (${levelVariable}=kfd): kernels run on the software GPU, and no time is a GPU's`
      : 'the hsa device has not been run on AMD hardware by the authors of Kernloop; check its results',
  );
  return {
    description,
    work: 'duration_ns',
    seeded: false,
    measuring: { iterations: 30, warmup: 3, cache: 'as-is' },
    lock: lockFile(description.identity),
    env: emulated ? emulatedVariables(emulated, deps.env) : {},
    appLibraries: (user) => (emulated ? emulatedVariables(emulated, user) : {}),
    agent: rocmAgent(deps.native.agentHsa),
    runtime: null,
    hasNvrtc: false,
    hasSanitizer: false,
    hasPtx: false,
    replayArguments: ['--hsa-runtime', runtime || systemHsaRuntime],
  };
}

function emulatedGpu(driver: EmulatedDriver): DeviceDescription {
  const gpu = firstGpu(driver.topology);
  return { ...gpu, identity: emulatedIdentity(driver, sha256OfFile(driver.library)), name: `Software ${gpu.name}` };
}

/** The device as reached by an app that has loaded `runtime`; unchanged unless it is hardware. */
export function throughRuntime(device: Device, runtime: string): Device {
  if (device.description.kind !== 'hsa' || runtime === '') return device;
  return { ...device, replayArguments: ['--hsa-runtime', runtime] };
}

/** Another runtime counts as another device: it may load and launch differently. */
function identifiedBy(description: DeviceDescription, runtime: string | undefined): DeviceDescription {
  if (!runtime) return description;
  if (!existsSync(runtime)) {
    throw new KernloopError(
      'RUNTIME_NOT_FOUND',
      `${hsaRuntimeVariable} names ${runtime}, which does not exist`,
      `name the libhsa-runtime64.so.1 of your ROCm there, or unset it`,
    );
  }
  return { ...description, identity: `${description.identity}-${sha256OfFile(runtime).slice(0, 12)}` };
}

/** First node with compute units in the driver's topology files. */
export function firstGpu(folder: string): DeviceDescription {
  const [first] = gpusIn(folder);
  if (first) return first;
  throw new KernloopError(
    'DEVICE_UNAVAILABLE',
    `no AMD GPU: ${folder} lists none`,
    'use "device": "softgpu", or install the amdgpu driver on a machine with an AMD GPU',
  );
}

/** Targets of the AMD GPUs that the driver lists: `gfx90a`. */
export const gpuTargets = (folder: string): string[] => gpusIn(folder).map(({ isa }) => isa.split('--')[1] ?? isa);

/** Warns because an app may use any GPU, and a capture does not record which memory is on which. */
function warnOfOthers([first, ...others]: DeviceDescription[], deps: Deps): void {
  if (!first || others.length === 0) return;
  deps.report.warn(
    `${first.identity} is the first of ${others.length + 1} GPUs, and what is named in results; set HIP_VISIBLE_DEVICES=0 so that the app uses none of ${others.map(({ identity }) => identity).join(', ')}`,
  );
}

function gpusIn(folder: string): DeviceDescription[] {
  const gpus: DeviceDescription[] = [];
  for (const node of nodesOf(folder)) {
    const properties = readProperties(join(folder, node, 'properties'));
    const version = properties.get('gfx_target_version') ?? 0n;
    if (version === 0n) continue;
    const target = targetName(version);
    gpus.push({
      kind: 'hsa',
      identity: `hsa-${target}-${(properties.get('unique_id') ?? properties.get('location_id') ?? 0n).toString(16)}`,
      isa: `amdgcn-amd-amdhsa--${target}`,
      name: `AMD ${target}`,
      wavefront_size: Number(properties.get('wave_front_size') ?? 64n),
    });
  }
  return gpus;
}

/**
 * Name of a target version: 90010 is gfx90a. Major, then minor and stepping of two decimal digits each; both are
 * written in hex.
 */
export function targetName(version: bigint): string {
  const [major, minor, stepping] = [version / 10000n, (version / 100n) % 100n, version % 100n];
  return `gfx${major}${minor.toString(16)}${stepping.toString(16)}`;
}

function nodesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number(a) - Number(b));
  } catch {
    return [];
  }
}

function readProperties(path: string): Map<string, bigint> {
  const properties = new Map<string, bigint>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return properties;
  }
  for (const line of text.split('\n')) {
    const match = /^(\w+) (\d+)$/.exec(line);
    if (match?.[1] && match[2]) properties.set(match[1], BigInt(match[2]));
  }
  return properties;
}
