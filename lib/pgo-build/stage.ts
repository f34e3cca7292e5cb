import { defineStage } from '../stage/stage';
import { pgoBuildOptionsSchema } from './options';
import { pgoBuildResultSchema } from './result';

const code = () => require('./pgo-build') as typeof import('./pgo-build');

export const stage = defineStage({
  name: 'pgo-build',
  summary: 'Build a kernel with its profile, once for each spill-placement gate.',
  options: pgoBuildOptionsSchema,
  result: pgoBuildResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  writes: [{ path: '{reproducer}/pgo/variants/', results: ['pgo/variants/*.report.json'] }],
  exitCodes: { pass: 'The variants were built.' },
  run: (options, deps) => code().pgoBuild(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-build', of: 'project' }],
    cache: true,
    after: [{ stage: 'pgo-merge' }, { stage: 'recompile' }],
    inputs: ['reproducer', 'compiled', 'llvm', { written: 'pgo/merged.*' }],
    needsSource: true,
    isCurrent: (options, deps) => code().isUpToDate(options, deps),
  },
});
