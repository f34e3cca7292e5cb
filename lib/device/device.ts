import type { Environment } from '../support/environment';
import type { DeviceKind } from './kinds';

/** Device as capture.json describes it. */
export interface DeviceDescription {
  kind: DeviceKind;
  identity: string;
  isa: string;
  name: string;
  wavefront_size: number;
}

/** Unit of work on this device: a duration means something only on hardware. */
export type WorkUnit = 'wave_instructions' | 'duration_ns';

/** How the runtime under the app is made to load the capture agent. */
export interface AgentSlot {
  /** Variable that names a library. It holds one name only, so a profiler may occupy it. */
  readonly variable: 'HSA_TOOLS_LIB' | 'CUDA_INJECTION64_PATH';
  readonly library: string;
  /** More variables that the agent needs inside this program. */
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
  /** Whether a seed decides the order in which waves run; hardware chooses its own order. */
  readonly seeded: boolean;
  /** Defaults of a measurement. */
  readonly measuring: Measuring;
  /** Variables that make a program (the app, or kernloop-replay) use this device. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** More variables for the app: library lists, which keep the entries that the user (shell, kernloop.json) has set. */
  appLibraries(user: Environment): Readonly<Record<string, string>>;
  readonly agent: AgentSlot;
  /** Lock file: one stage at a time uses hardware. The software GPU needs none. */
  readonly lock: string | null;
  /** Library of ours that the app has to load to reach the device; null if the system's is right. */
  readonly runtime: string | null;
  /** Whether an app may compile kernels while it runs, with a compiler that can be recorded. */
  readonly hasNvrtc: boolean;
  /** Whether compute-sanitizer can check its kernels. */
  readonly hasSanitizer: boolean;
  /** Whether its code may keep the PTX that it was assembled from. */
  readonly hasPtx: boolean;
  /** Arguments that make kernloop-replay use this device. */
  readonly replayArguments: readonly string[];
}
