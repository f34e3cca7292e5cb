import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { builtNative } from '../deps/built-native';
import { KernloopError } from '../support/error';
import { sha256 } from '../support/files';
import { EventReader, describeEnd, rebuildHint } from '../support/ndjson';
import { findCupti } from './cupti';
import type { Device, DeviceDescription } from './device';
import { lockFile } from './lock-file';

/** Event that `kernloop-replay --describe-device cuda` prints. */
export const deviceEventSchema = z.looseObject({
  event: z.literal('device'),
  kind: z.literal('cuda'),
  name: z.string().min(1),
  uuid: z.string().min(1),
  isa: z.string().regex(/^sm_\d+[a-z]?$/),
  /** Version of the driver package (580.65.06) if the system reports it; else the CUDA version. */
  driver_version: z.string().min(1),
  cuda_version: z.string().optional(),
  total_memory_bytes: z.number().nonnegative().optional(),
  multiprocessors: z.number().nonnegative().optional(),
  pci_bus_id: z.string().optional(),
});

export type CudaGpu = z.output<typeof deviceEventSchema>;

/** Threads of a warp, on every GPU so far. */
const warpThreads = 32;

/** Starting the driver takes long unless nvidia-persistenced keeps it loaded. */
const describeLimitMs = 120_000;

export async function openCuda(gpu: string | undefined, deps: Deps): Promise<Device> {
  const agentCuda = await builtNative('agentCuda', deps);
  if (!existsSync(agentCuda)) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${agentCuda} not found: this native build has no cuda device`,
      'install this version of kernloop once more (in a checkout: `npm run build:native`)',
    );
  }
  const described = await describeGpu(gpu, deps);
  // Shows the app only the requested GPU; without a choice, the app sees the same GPUs as without Kernloop.
  const env = gpu === undefined ? {} : { CUDA_VISIBLE_DEVICES: described.uuid };
  return {
    description: descriptionOf(described),
    work: 'duration_ns',
    seeded: false,
    measuring: { iterations: 30, warmup: 3, cache: 'warm' },
    lock: lockFile(`cuda-${described.uuid}`),
    env,
    agent: {
      variable: 'CUDA_INJECTION64_PATH',
      library: agentCuda,
      environment: (program, appEnv): Record<string, string> => {
        const cupti = findCupti(program, appEnv, cudaMajor(described.cuda_version));
        return cupti === undefined ? {} : { KERNLOOP_CUPTI: cupti };
      },
    },
    appLibraries: () => ({}),
    runtime: null,
    hasNvrtc: true,
    hasSanitizer: true,
    hasPtx: true,
    replayArguments: [],
  };
}

/** A GPU by its number among the visible ones, or by its UUID; the first visible GPU by default. */
export async function describeGpu(gpu: string | undefined, deps: Deps): Promise<CudaGpu> {
  const number = gpu === undefined ? 0 : parseGpu(gpu);
  const byUuid = number === null ? { CUDA_VISIBLE_DEVICES: gpu } : {};
  const found: CudaGpu[] = [];
  const reader = new EventReader<CudaGpu>('kernloop-replay', new Map([['device', deviceEventSchema]]), (event) =>
    found.push(event),
  );
  const args = ['--describe-device', 'cuda', '--device', String(number ?? 0)];
  const ended = await deps.run(deps.native.replay, args, {
    env: byUuid,
    onStdoutLine: reader.push,
    timeoutMs: describeLimitMs,
  }).result;
  reader.finish(ended);
  const [described] = found;
  if (!described) {
    throw new KernloopError(
      'NATIVE_FAILED',
      `${describeEnd('kernloop-replay', ended)}\nwithout describing a GPU`,
      rebuildHint,
    );
  }
  return { ...described, uuid: withPrefix(described.uuid) };
}

/** Null for a UUID. */
function parseGpu(gpu: string): number | null {
  if (/^\d{1,3}$/.test(gpu)) return Number(gpu);
  if (/^(GPU|MIG)-[0-9a-fA-F-]+$/.test(gpu)) return null;
  throw new KernloopError(
    'USAGE',
    `--gpu "${gpu}" is neither a number nor a UUID`,
    'give a number (0 is the first visible GPU) or a UUID as `nvidia-smi -L` prints it (GPU-…)',
  );
}

function withPrefix(uuid: string): string {
  return /^(GPU|MIG)-/.test(uuid) ? uuid : `GPU-${uuid}`;
}

/** Another driver counts as another device: it has its own compiler and its own scheduling. */
function descriptionOf({
  name,
  isa,
  uuid,
  driver_version: driver,
  cuda_version: cuda = '',
}: CudaGpu): DeviceDescription {
  return {
    kind: 'cuda',
    identity: `cuda-${isa}-${sha256([name, isa, uuid, driver, cuda].join('\n')).slice(0, 12)}`,
    isa,
    name,
    wavefront_size: warpThreads,
  };
}

/** Major version: 13 for "13.0"; null if the driver does not report it. */
export function cudaMajor(version: string | undefined): number | null {
  const major = /^(\d{1,2})\.\d+$/.exec(version ?? '')?.[1];
  return major === undefined ? null : Number(major);
}
