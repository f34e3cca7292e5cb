import type { z } from 'zod';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import { configure } from '../lib/stages/configure';
import { stages, type StageName } from '../lib/stages/registry';
import { runStage } from '../lib/stages/run';
import { forSubject } from '../lib/stages/subject';
import { ReadOnce } from '../lib/support/read-once';

type Stages = typeof stages;

export type OptionsOf<N extends StageName> = z.input<Stages[N]['options']>;
export type ResultOf<N extends StageName> = z.output<Stages[N]['result']>;
export type StageFunction<N extends StageName> = (options?: OptionsOf<N>, deps?: Partial<Deps>) => Promise<ResultOf<N>>;

/** A stage as a function; the stage is loaded when the function is called. */
export function stageFunction<N extends StageName>(name: N): StageFunction<N> {
  return async (options, overrides = {}) => {
    const deps = defaultDeps({ ...overrides, opened: new ReadOnce() });
    const stage = forSubject(stages[name], options ?? {}, deps.env);
    return await runStage<ResultOf<N>>(stage, configure(stage, options ?? {}, deps.env, deps.opened).values, deps);
  };
}
