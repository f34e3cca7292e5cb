import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { gpuTargets, topologyFolder } from '../device/hsa';
import type { DeviceKind } from '../device/kinds';
import { softgpuTargets } from '../device/softgpu';
import type { Environment } from '../support/environment';
import { isReadable } from '../support/programs';
import { carriedCode, type CarriedCode } from '../toolchain/carried-code';
import { neededLibraries } from '../toolchain/needed-libraries';

/** GPUs of this machine. */
export interface Machine {
  /** Targets of the AMD GPUs: `gfx90a`. */
  readonly amdTargets: readonly string[];
  readonly hasNvidia: boolean;
}

export interface FoundDevice {
  readonly device: DeviceKind;
  /** Target of the software GPU. */
  readonly softgpu: string;
  /** Reason, for people. */
  readonly because: string;
}

/** Folder in which NVIDIA's driver lists its GPUs. */
const nvidiaFolder = '/proc/driver/nvidia/gpus';

const thisMachine = (): Machine => ({ amdTargets: gpuTargets(topologyFolder), hasNvidia: existsSync(nvidiaFolder) });

const [defaultTarget] = Object.keys(softgpuTargets) as [string];

/**
 * Device for a program, from the device code that it or a library of its dynamic section carries: hardware if this
 * machine has it, else the software GPU. Without such code (scripts, plugins), the GPU of this machine.
 */
export function findDevice(program: string, env: Environment, machine: Machine = thisMachine()): FoundDevice {
  const { amdTargets, hasNvidia } = machine;
  const found = isReadable(program) ? codeOf(program, env) : null;
  const name = basename(program);
  if (found === null) {
    const because = `${name} shows no device code`;
    if (hasNvidia) return { device: 'cuda', softgpu: defaultTarget, because: `${because}; there is an NVIDIA GPU` };
    if (amdTargets.length > 0)
      return { device: 'hsa', softgpu: defaultTarget, because: `${because}; there is an AMD GPU` };
    return { device: 'softgpu', softgpu: defaultTarget, because: `${because}; there is no GPU` };
  }
  const { file, code } = found;
  const owner = file === program ? name : `${basename(file)} of ${name}`;
  if (code.language === 'cuda') return { device: 'cuda', softgpu: defaultTarget, because: `${owner} has CUDA code` };
  const { targets } = code;
  const because = `${owner} has code for ${targets.length > 0 ? targets.join(', ') : 'AMD GPUs'}`;
  const isForHardware = targets.length === 0 || targets.some((target) => amdTargets.includes(processorOf(target)));
  if (amdTargets.length > 0 && isForHardware) return { device: 'hsa', softgpu: defaultTarget, because };
  // If no target fits, the run says for which one to compile.
  return { device: 'softgpu', softgpu: softgpuFor(targets) ?? defaultTarget, because };
}

function codeOf(program: string, env: Environment): { file: string; code: CarriedCode } | null {
  for (const file of [program, ...neededLibraries(program, /./, env)]) {
    const code = carriedCode(file);
    if (code !== null) return { file, code };
  }
  return null;
}

const processorOf = (target: string): string => target.split(':')[0] ?? target;

/** The first target of the software GPU that runs one of these. */
function softgpuFor(targets: readonly string[]): string | undefined {
  return Object.entries(softgpuTargets).find(([name, { isa }]) => {
    const has = isa.split(':');
    return targets.some((target) => {
      const [processor, ...features] = target.split(':');
      return processor === name && features.every((feature) => has.includes(feature));
    });
  })?.[0];
}
