import { throwIfInterrupted } from '../support/interrupted';
import type { Deps } from './deps';

/**
 * Dependencies for work that may turn out not to be needed: `stop` ends the programs that it has started and starts no
 * others.
 */
export function stoppable(deps: Deps): { deps: Deps; stop: () => void } {
  const running = new Set<ReturnType<Deps['run']>>();
  const stopping = new AbortController();
  return {
    deps: {
      ...deps,
      signal: AbortSignal.any([deps.signal, stopping.signal]),
      run: (file, args, options) => {
        throwIfInterrupted(stopping.signal);
        const program = deps.run(file, args, options);
        running.add(program);
        const forget = (): void => void running.delete(program);
        program.result.then(forget, forget);
        return program;
      },
    },
    stop: () => {
      stopping.abort();
      for (const program of running) program.kill();
    },
  };
}
