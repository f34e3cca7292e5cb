import type { Environment } from '../support/environment';
import type { DeviceKind } from './kinds';

/** How capture.json describes the device. */
export interface DeviceDescription {
  kind: DeviceKind;
  identity: string;
  isa: string;
  name: string;
  wavefront_size: number;
}

/** What counts work on this device: a duration means something only on hardware. */
export type WorkUnit = 'wave_instructions' | 'duration_ns';

/** How the runtime under the app is made to load the capture agent. */
export interface AgentSlot {
  /** The variable that names a library; there is room for one, so that a profiler may hold it. */
  readonly variable: 'HSA_TOOLS_LIB' | 'CUDA_INJECTION64_PATH';
  readonly library: string;
  /** More that the agent needs to work inside this program. */
  environment(program: string, appEnv: Environment): Readonly<Record<string, string>>;
}

interface Measuring {
  iterations: number;
  warmup: number;
  /** State of the caches when a kernel starts; null where the device has none. */
  cache: 'warm' | 'as-is' | null;
}

export interface Device {
  readonly description: DeviceDescription;
  readonly work: WorkUnit;
  /** Whether waves run in an order that follows from a seed; hardware has its own. */
  readonly seeded: boolean;
  /** What a measurement is where the user does not say. */
  readonly measuring: Measuring;
  /** Variables that make a program (the app, or kernloop-replay) use this device. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * More of them for the app: lists of libraries, which hold what the user (the shell, kernloop.json) has in them, too.
   */
  appLibraries(user: Environment): Readonly<Record<string, string>>;
  readonly agent: AgentSlot;
  /** Hardware is used by one stage at a time; this file is its lock. The software GPU needs none. */
  readonly lock: string | null;
  /** Library that the app has to load to reach the device, where it is one of ours; null where that of the system is right. */
  readonly runtime: string | null;
  /** Whether its programs may be compiled while the app runs, by a compiler that can be recorded. */
  readonly hasNvrtc: boolean;
  /** Whether compute-sanitizer looks into its kernels. */
  readonly hasSanitizer: boolean;
  /** Whether its code may keep the PTX that it was assembled from. */
  readonly hasPtx: boolean;
  /** Arguments that make kernloop-replay use this device. */
  readonly replayArguments: readonly string[];
}
