import { findNative, type NativePaths } from '../device/native-paths';
import { runProcess, type ProcessRunner } from './exec';
import { interruption } from './interrupt';
import { consoleReporter, type Reporter } from './report';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Clock {
  now(): Date;
  /** Milliseconds that only grow. */
  monotonicMs(): number;
}

/** Everything a stage needs from outside; tests hand in their own. */
export interface Deps {
  readonly run: ProcessRunner;
  readonly clock: Clock;
  readonly env: Environment;
  readonly report: Reporter;
  /** The native programs; reading it throws ENVIRONMENT_NATIVE_MISSING where they are not built. */
  readonly native: NativePaths;
  /** Aborted by SIGINT and SIGTERM; a stage then stops, leaves nothing half-written and throws INTERRUPTED. */
  readonly signal: AbortSignal;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

export function defaultDeps(overrides: Partial<Deps> = {}): Deps {
  const env = overrides.env ?? process.env;
  let native: NativePaths | undefined;
  return {
    run: overrides.run ?? runProcess,
    clock: overrides.clock ?? systemClock,
    env,
    report: overrides.report ?? consoleReporter(),
    signal: overrides.signal ?? interruption(),
    get native() {
      native ??= overrides.native ?? findNative(env);
      return native;
    },
  };
}
