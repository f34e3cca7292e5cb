import type { AppIdentity } from '../app/identity';
import type { Each, Scope } from '../app/kernloop-json';
import type { DeviceDescription } from '../device/device';
import { version } from '../support/version';

export interface RecorderSelection {
  id: string;
  match: string;
  whole: boolean;
  ordinals: readonly (readonly [number, number | null])[];
  each: Each;
  limit: number;
  to_end: boolean;
  after?: { match: string; count: number };
  scope: Scope;
  byte_budget: number;
  /** Of its one capture. */
  output?: string;
  /** Of several, each in a folder below that is its ordinal. */
  outputs?: string;
}

/** The configuration file of kernloop-recorder (docs/contributing/seams.md). */
export interface RecorderConfig {
  mode: 'capture' | 'profile';
  selections: RecorderSelection[];
  /** Nothing is written: what captures would be is told. */
  dry_run?: boolean;
  store: string | null;
  inline_limit_bytes: number;
  /** Of chunks on their way to the disk; none are in a profile. */
  pipeline_bytes?: number;
  drain_limit_ms: number;
  run_limit_ms: number;
  tool_version: string;
  app: AppIdentity;
  device: DeviceDescription;
}

/** Every dispatch is counted, none captured. */
export function profiling(app: AppIdentity, device: DeviceDescription): RecorderConfig {
  return {
    mode: 'profile',
    selections: [],
    store: null,
    inline_limit_bytes: 0,
    drain_limit_ms: 10_000,
    run_limit_ms: 60_000,
    tool_version: version,
    app,
    device,
  };
}
