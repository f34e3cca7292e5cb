import { defineStage } from '../stage/stage';
import { pgoGenerateOptionsSchema } from './options';
import { pgoGenerateResultSchema } from './result';

const code = () => require('./pgo-generate') as typeof import('./pgo-generate');

export const stage = defineStage({
  name: 'pgo-generate',
  summary: 'Replay the captured dispatches with counters in the kernel.',
  options: pgoGenerateOptionsSchema,
  result: pgoGenerateResultSchema,
  onDevice: true,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer', 'store'],
  writes: [{ path: '{reproducer}/pgo/raw/' }],
  exitCodes: { pass: 'The raw profiles were written.' },
  run: (options, deps) => code().pgoGenerate(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [{ name: 'pgo-generate', of: 'project' }],
    cache: true,
    after: [{ stage: 'capture' }, { stage: 'pgo-instrument' }],
    // Options in kernel.json are covered by the files of the reproducer.
    inputs: ['reproducer', 'capture', 'device', 'native', { written: 'pgo/instrumented/*' }],
    needsSource: true,
    run: (options, deps) => code().pgoGenerateTask(options, deps),
  },
});
