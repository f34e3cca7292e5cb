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
  /** Folder of the only capture. */
  output?: string;
  /** Folder of several captures, each in a subfolder named by its ordinal. */
  outputs?: string;
}

/** The configuration file of kernloop-recorder (docs/contributing/seams.md). */
export interface RecorderConfig {
  mode: 'capture' | 'profile';
  selections: RecorderSelection[];
  /** Writes nothing and reports the captures that would be made. */
  dry_run?: boolean;
  store: string | null;
  inline_limit_bytes: number;
  /** Limit for chunks that wait to be written to disk; unused in profile mode. */
  pipeline_bytes?: number;
  drain_limit_ms: number;
  run_limit_ms: number;
  tool_version: string;
  app: AppIdentity;
  device: DeviceDescription;
}

/** Counts every dispatch and captures none. */
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
