import { defineStage } from '../stage/stage';
import { pgoAppMergeOptionsSchema } from './options';
import { pgoAppMergeResultSchema } from './result';

const code = () => require('./pgo-app-merge') as typeof import('./pgo-app-merge');

export const stage = defineStage({
  name: 'pgo-app-merge',
  summary: 'Merge the raw profiles of an app into one that the compiler reads.',
  options: pgoAppMergeOptionsSchema,
  result: pgoAppMergeResultSchema,
  project: 'app',
  positional: 'app',
  paths: ['app', 'input'],
  writes: [
    'merged.profdata',
    'merged.profdata.amdgcn-amd-amdhsa.profdata',
    'merged.profdata.nvptx64-nvidia-cuda.profdata',
    'merged.waves.json',
    'merged.json',
  ].map((file) => ({ path: `{app}/.kernloop/pgo/${file}` })),
  exitCodes: { pass: 'The merged profile was written.' },
  run: (options, deps) => code().pgoAppMerge(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-merge', of: 'project' }],
    needsCommands: true,
    cache: true,
    after: [{ stage: 'pgo-app-generate' }],
    inputs: ['app', { written: '.kernloop/pgo/raw/*' }, 'llvm', 'native'],
    without: ['input'],
    refused: {
      input: '--input names profiles that the task does not know as its inputs: a change of them would not be noticed',
    },
  },
});
