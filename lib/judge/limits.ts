import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import type { Candidate } from './candidate-json';
import type { JudgeSettings } from './options';

/** Limits that hold for one candidate. */
export interface Limits {
  readonly compile_seconds: number;
  /** Wall time of one replay, with the restoring of memory. */
  readonly run_seconds: number;
  /** Memory of its compilation, in the sandbox. */
  readonly memory_bytes: number;
}

type Settings = Pick<
  JudgeSettings,
  'compileLimitSeconds' | 'runLimitSeconds' | 'compileLimitMemoryMib' | 'unsandboxed'
>;

export const limitsOfJudge = (settings: Settings): Limits => ({
  compile_seconds: settings.compileLimitSeconds,
  run_seconds: settings.runLimitSeconds,
  memory_bytes: settings.compileLimitMemoryMib * 2 ** 20,
});

/** Those of the candidate, else of the judge. One above the judge's is refused: it would be taken to hold. */
export function limitsOf({ limits = {} }: Pick<Candidate, 'limits'>, settings: Settings): Limits {
  const most = limitsOfJudge(settings);
  for (const name of Object.keys(most) as (keyof Limits)[]) {
    const wanted = limits[name];
    if (wanted !== undefined && wanted > most[name]) {
      throw new KernloopError(
        'CANDIDATE_REFUSED',
        `its limit ${name} is ${wanted}, and this judge allows ${most[name]}`,
        'leave it out, or lower it',
      );
    }
  }
  if (limits.memory_bytes !== undefined && settings.unsandboxed) {
    throw new KernloopError(
      'CANDIDATE_REFUSED',
      'it limits the memory of its compilation, which needs the sandbox, and this judge has none',
      'leave out memory_bytes',
    );
  }
  return { ...most, ...limits };
}

/** Ends replays of a candidate after a time. */
export class RunLimit {
  /** Whether one was ended. */
  isExceeded = false;

  constructor(private readonly seconds: number) {}

  get words(): string {
    return `a replay ran longer than ${this.seconds} s`;
  }

  within(deps: Deps): Deps {
    const { clock, env, signal, input, native, report } = deps;
    return {
      ...{ clock, env, signal, input, native, report },
      run: (file, args, options) => {
        if (file !== native.replay) return deps.run(file, args, options);
        const running = deps.run(file, args, { ...options, timeoutMs: this.seconds * 1000 });
        void running.result.then(
          ({ timedOut }) => (this.isExceeded ||= timedOut),
          () => undefined,
        );
        return running;
      },
    };
  }
}
