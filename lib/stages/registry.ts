import summaries from './stages.json';

/**
 * Stages, one per line, loaded on demand. A stage is added by its folder, with `stage.ts`, and its line here; `npm run
 * schemas` writes the rest.
 */
// prettier-ignore
export const stages = {
  get init() { return (require('../init/stage') as typeof import('../init/stage')).stage; },
  get 'watch-build'() { return (require('../watch-build/stage') as typeof import('../watch-build/stage')).stage; },
  get kernels() { return (require('../kernels/stage') as typeof import('../kernels/stage')).stage; },
  get profile() { return (require('../profile/stage') as typeof import('../profile/stage')).stage; },
  get declare() { return (require('../declare/stage') as typeof import('../declare/stage')).stage; },
  get capture() { return (require('../capture/stage') as typeof import('../capture/stage')).stage; },
  get generate() { return (require('../generate/stage') as typeof import('../generate/stage')).stage; },
  get extract() { return (require('../extract/stage') as typeof import('../extract/stage')).stage; },
  get adopt() { return (require('../adopt/stage') as typeof import('../adopt/stage')).stage; },
  get recompile() { return (require('../recompile/stage') as typeof import('../recompile/stage')).stage; },
  get replay() { return (require('../replay/stage') as typeof import('../replay/stage')).stage; },
  get validate() { return (require('../validate/stage') as typeof import('../validate/stage')).stage; },
  get tune() { return (require('../tune/stage') as typeof import('../tune/stage')).stage; },
  get judge() { return (require('../judge/stage') as typeof import('../judge/stage')).stage; },
  get 'verify-report'() { return (require('../verify-report/stage') as typeof import('../verify-report/stage')).stage; },
  get 'export-task'() { return (require('../export-task/stage') as typeof import('../export-task/stage')).stage; },
  get 'pgo-show'() { return (require('../pgo-show/stage') as typeof import('../pgo-show/stage')).stage; },
  get 'pgo-instrument'() { return (require('../pgo-instrument/stage') as typeof import('../pgo-instrument/stage')).stage; },
  get 'pgo-generate'() { return (require('../pgo-generate/stage') as typeof import('../pgo-generate/stage')).stage; },
  get 'pgo-merge'() { return (require('../pgo-merge/stage') as typeof import('../pgo-merge/stage')).stage; },
  get 'pgo-build'() { return (require('../pgo-build/stage') as typeof import('../pgo-build/stage')).stage; },
  get 'pgo-use'() { return (require('../pgo-use/stage') as typeof import('../pgo-use/stage')).stage; },
  get 'pgo-runtime'() { return (require('../pgo-runtime/stage') as typeof import('../pgo-runtime/stage')).stage; },
  get store() { return (require('../store/stage') as typeof import('../store/stage')).stage; },
  get pack() { return (require('../pack/stage') as typeof import('../pack/stage')).stage; },
  get unpack() { return (require('../unpack/stage') as typeof import('../unpack/stage')).stage; },
  get push() { return (require('../push/stage') as typeof import('../push/stage')).stage; },
  get pull() { return (require('../pull/stage') as typeof import('../pull/stage')).stage; },
  get ['trace-run']() { return (require('../trace-run/stage') as typeof import('../trace-run/stage')).stage; },
  get ['trace-read']() { return (require('../trace-read/stage') as typeof import('../trace-read/stage')).stage; },
  get ['trace-gen']() { return (require('../trace-gen/stage') as typeof import('../trace-gen/stage')).stage; },
  get ['trace-export']() { return (require('../trace-export/stage') as typeof import('../trace-export/stage')).stage; },
  get ['trace-analyze']() { return (require('../trace-analyze/stage') as typeof import('../trace-analyze/stage')).stage; },
  get report() { return (require('../report/stage') as typeof import('../report/stage')).stage; },
  get doctor() { return (require('../doctor/stage') as typeof import('../doctor/stage')).stage; },
};

/** Groups of two-word verbs with their summaries in `kernloop --help`. */
export const verbGroups: Readonly<Record<string, string>> = {
  pgo: 'Look at the profile of a kernel.',
  trace:
    'Trace a captured kernel with probes; read, analyse and write out traces of Neutrino, and generate readers for them.',
};

export type StageName = keyof typeof stages;
export const stageNames = Object.keys(stages) as StageName[];
export const isStageName = (name: string): name is StageName => Object.hasOwn(stages, name);

/** Facts about every stage, available without loading it: generated. */
export interface StageSummary {
  readonly summary: string;
  readonly project: string;
  readonly selfContained: boolean;
  /** Verb of two words, if it has one. */
  readonly verb?: string;
  /** Option that takes the words after `--`. */
  readonly trailing?: string;
}

export const stageSummaries: Readonly<Record<StageName, StageSummary>> = summaries;

/** Words that are typed for a stage. */
export const verbWords = (name: StageName): readonly string[] => (stageSummaries[name].verb ?? name).split(' ');
