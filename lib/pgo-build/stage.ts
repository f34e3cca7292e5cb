import { defineStage } from '../stage/stage';
import { pgoBuildOptionsSchema } from './options';
import { pgoBuildResultSchema } from './result';

const code = () => require('./pgo-build') as typeof import('./pgo-build');

export const stage = defineStage({
  name: 'pgo-build',
  summary: 'Build the kernel of a reproducer by its profile, under each gate of spill placement, for pgo-use.',
  options: pgoBuildOptionsSchema,
  result: pgoBuildResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  exitCodes: { pass: 'The variants are there.' },
  run: (options, deps) => code().pgoBuild(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-build', of: 'project' }],
    cache: true,
    after: [{ stage: 'pgo-merge' }, { stage: 'recompile' }],
    inputs: ['reproducer', 'compiled', 'llvm', { written: 'pgo/merged.*' }],
    outputs: ['{reproducer}/pgo/variants'],
    needsSource: true,
    isCurrent: (options, deps) => code().isUpToDate(options, deps),
  },
});
