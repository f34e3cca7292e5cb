import type { Deps } from './deps';
import { silentReporter } from '../support/report';

/**
 * Dependencies for work repeated for every variant: faults that programs report are still shown, and the final table
 * replaces the other output.
 */
export function quiet(deps: Deps): Deps {
  const { run, clock, env, signal, report } = deps;
  return {
    ...{ run, clock, env, signal, native: deps.native, input: deps.input },
    report: { ...silentReporter, output: (chunk) => report.output(chunk) },
  };
}
