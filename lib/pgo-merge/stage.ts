import { defineStage } from '../stage/stage';
import { pgoMergeOptionsSchema } from './options';
import { pgoMergeResultSchema } from './result';

const code = () => require('./pgo-merge') as typeof import('./pgo-merge');

export const stage = defineStage({
  name: 'pgo-merge',
  summary: 'Merge raw profiles into one that the compiler reads, with uniformity and wave visits.',
  options: pgoMergeOptionsSchema,
  result: pgoMergeResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer', 'input'],
  writes: [
    { path: '{reproducer}/pgo/merged.profdata' },
    { path: '{reproducer}/pgo/merged.waves.json', results: ['pgo/merged.waves.json'] },
    { path: '{reproducer}/pgo/merged.json', results: ['pgo/merged.json'] },
  ],
  exitCodes: { pass: 'The merged profile was written.' },
  run: (options, deps) => code().pgoMerge(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-merge', of: 'project' }],
    cache: true,
    after: [{ stage: 'pgo-generate' }],
    inputs: ['reproducer', { written: 'pgo/raw/*' }, 'llvm', 'native'],
    needsSource: true,
    // The task does not notice changes of files elsewhere.
    without: ['input'],
    refused: {
      input: '--input names profiles that the task does not know as its inputs: a change of them would not be noticed',
    },
  },
});
