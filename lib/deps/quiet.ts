import type { Deps } from './deps';
import { silentReporter } from '../support/report';

/** For what is done once for every variant: what a program says of a fault is still seen, the table at the end says the rest. */
export function quiet(deps: Deps): Deps {
  const { run, clock, env, signal, report } = deps;
  return {
    ...{ run, clock, env, signal, native: deps.native, input: deps.input },
    report: { ...silentReporter, output: (chunk) => report.output(chunk) },
  };
}
