import { existsSync } from 'node:fs';
import { describeGpu, type CudaGpu } from '../device/cuda';
import { cudaHost } from '../device/cuda-host';
import { installedCupti } from '../device/cupti';
import { nativeRemedy } from '../native/native-package';
import { isLeftOut } from '../native/rest';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { formatBytes } from '../support/report';
import { compilerCandidates, compilerVersion } from '../toolchain/find-compiler';
import type { Check } from './check';

/** Maximum number of GPUs listed. */
const maxGpus = 16;

/** Requirements of the cuda device: driver and GPU, the agent, CUPTI; for recompiling, nvcc. */
export async function cudaChecks(deps: Deps): Promise<Check[]> {
  const { gpus, why } = await visibleGpus(deps);
  const present = gpus.length > 0;
  return [
    gpuCheck(gpus, why),
    ...(present ? [driverCheck(gpus, deps), agentCheck(deps)] : []),
    cuptiCheck(present, deps),
    await nvccCheck(deps),
    nvrtcCheck(deps),
    await sanitizerCheck(deps),
  ];
}

async function visibleGpus(deps: Deps): Promise<{ gpus: CudaGpu[]; why: string }> {
  const gpus: CudaGpu[] = [];
  for (let index = 0; index < maxGpus; index += 1) {
    try {
      gpus.push(await describeGpu(String(index), deps));
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      return { gpus, why: error.what };
    }
  }
  return { gpus, why: '' };
}

function gpuCheck(gpus: readonly CudaGpu[], why: string): Check {
  const name = 'NVIDIA GPU';
  if (gpus.length === 0) return { name, state: 'optional', detail: `none here: ${why}`, hint: '' };
  const describe = ({ name: model, isa, uuid, total_memory_bytes: bytes }: CudaGpu): string =>
    `${model} (${isa}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}, ${uuid})`;
  return { name, state: 'ok', detail: gpus.map(describe).join('; '), hint: '' };
}

function driverCheck([gpu]: readonly CudaGpu[], deps: Deps): Check {
  const detail = `${gpu?.driver_version ?? '?'}, CUDA ${gpu?.cuda_version ?? '?'}; identity ${cudaHost(deps.env).identity}`;
  return { name: 'CUDA driver', state: 'ok', detail, hint: '' };
}

function agentCheck({ native }: Deps): Check {
  const name = 'cuda agent';
  if (isLeftOut(native)) return { name, state: 'ok', detail: 'built when a stage first asks for it', hint: '' };
  const found = existsSync(native.agentCuda);
  return {
    name,
    state: found ? 'ok' : 'missing',
    detail: found ? native.agentCuda : `${native.agentCuda} not found`,
    hint: nativeRemedy(),
  };
}

/** The app's own Python may bring a CUPTI: only the check of an app finds it. */
function cuptiCheck(gpuPresent: boolean, { env }: Deps): Check {
  const name = 'CUPTI';
  const found = installedCupti(env);
  if (found !== undefined) return { name, state: 'ok', detail: found, hint: '' };
  const hint =
    'install cuda-cupti of the CUDA toolkit (apt-get install cuda-cupti-13-0), or `pip install nvidia-cuda-cupti-cu12` beside a Python app, or name a libcupti.so with KERNLOOP_CUPTI';
  const detail = `not found outside of Python; profile and capture on cuda need it${gpuPresent ? `: ${hint}` : ''}`;
  return { name, state: 'optional', detail, hint };
}

async function nvccCheck(deps: Deps): Promise<Check> {
  const name = 'nvcc';
  const hint = 'apt-get install nvidia-cuda-toolkit, or set CUDA_HOME';
  const [path] = compilerCandidates('nvcc', deps.env);
  try {
    if (path !== undefined) return { name, state: 'ok', detail: `${path}: ${await compilerVersion(path, deps)}`, hint };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return { name, state: 'optional', detail: error.what, hint: error.hint };
  }
  return { name, state: 'optional', detail: `not found; rebuilds CUDA kernels (recompile): ${hint}`, hint };
}

/** A variable turns recording on; without it, kernels compiled at run time have no source. */
function nvrtcCheck({ native, env }: Deps): Check {
  const name = 'NVRTC recording';
  const hint =
    'KERNLOOP_NVRTC_RECORD=on, for capture or in "env" of kernloop.json; the recorder is part of a complete native build';
  if (!existsSync(native.nvrtcAudit) && !isLeftOut(native)) {
    return {
      name,
      state: 'optional',
      detail: 'not built: kernels compiled at run time (NVRTC) are captured without source',
      hint,
    };
  }
  const isOn = env['KERNLOOP_NVRTC_RECORD'] === 'on';
  return isOn
    ? { name, state: 'ok', detail: `on: ${native.nvrtcAudit} records what apps compile at run time`, hint: '' }
    : {
        name,
        state: 'optional',
        detail: `off: kernels compiled at run time are captured without source; ${hint.split(';')[0]}`,
        hint,
      };
}

async function sanitizerCheck(deps: Deps): Promise<Check> {
  const name = 'compute-sanitizer';
  const ended = await deps.run(name, ['--version'], { timeoutMs: 30_000 }).result;
  const version = ended.stdoutTail.split('\n').find((line) => /version/i.test(line));
  return ended.exitCode === 0
    ? { name, state: 'ok', detail: version?.trim() ?? 'found', hint: '' }
    : { name, state: 'optional', detail: 'not on the PATH; checks replays for memory errors', hint: '' };
}
