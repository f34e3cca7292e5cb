import type { Environment } from '../support/environment';
import { findNative, type NativePaths } from '../native/native-paths';
import { runProcess, type ProcessRunner } from '../support/exec';
import { interruption } from '../support/interrupt';
import { throwIfInterrupted } from '../support/interrupted';
import { consoleReporter, type Reporter } from '../support/report';
import type { ReadOnce } from '../support/read-once';
import type { ProgramInput } from '../support/stdin';

export interface Clock {
  now(): Date;
  /** Monotonic time in milliseconds. */
  monotonicMs(): number;
}

/** Everything a stage needs from outside; tests pass fakes. */
export interface Deps {
  readonly run: ProcessRunner;
  readonly clock: Clock;
  readonly env: Environment;
  readonly report: Reporter;
  /** Native programs; reading this throws ENVIRONMENT_NATIVE_MISSING if they are not built. */
  readonly native: NativePaths;
  /** Aborted by SIGINT and SIGTERM; a stage then stops, leaves nothing half-written and throws INTERRUPTED. */
  readonly signal: AbortSignal;
  /** Stdin of apps, unless their kernloop.json names a file. */
  readonly input?: ProgramInput | undefined;
  /** The command whose project is open already; undefined where there are many, such as in `watch`. */
  readonly opened?: ReadOnce | undefined;
}

const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

/** Dependencies of the command line: this process, its environment and its terminal, except for the overrides. */
export function defaultDeps(overrides: Partial<Deps> = {}): Deps {
  const env = overrides.env ?? process.env;
  const run = overrides.run ?? runProcess;
  const signal = overrides.signal ?? interruption();
  let native: NativePaths | undefined;
  return {
    run: (file, args, options) => {
      // A signal that came while no program ran must not start the next one.
      throwIfInterrupted(signal);
      return run(file, args, options);
    },
    clock: overrides.clock ?? systemClock,
    env,
    report: overrides.report ?? consoleReporter(),
    signal,
    input: overrides.input,
    opened: overrides.opened,
    get native() {
      native ??= overrides.native ?? findNative(env);
      return native;
    },
  };
}
