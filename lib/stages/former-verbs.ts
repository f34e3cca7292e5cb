import type { StageName } from './registry';

/** Verbs of before 1.0, and the stages that do their work now. */
export const formerVerbs: Readonly<Record<string, StageName>> = {
  'pgo-app-instrument': 'pgo-instrument',
  'pgo-app-generate': 'pgo-generate',
  'pgo-app-merge': 'pgo-merge',
  'pgo-app-build': 'pgo-build',
  'pgo-app-use': 'pgo-use',
};
