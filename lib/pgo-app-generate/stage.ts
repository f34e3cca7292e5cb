import { defineStage } from '../stage/stage';
import { pgoAppGenerateOptionsSchema } from './options';
import { pgoAppGenerateResultSchema } from './result';

const code = () => require('./pgo-app-generate') as typeof import('./pgo-app-generate');

export const stage = defineStage({
  name: 'pgo-app-generate',
  summary: 'Run the instrumented app and collect the raw profiles of its kernels.',
  options: pgoAppGenerateOptionsSchema,
  result: pgoAppGenerateResultSchema,
  onDevice: true,
  project: 'app',
  positional: 'app',
  paths: ['app'],
  writes: [{ path: '{app}/.kernloop/pgo/raw/' }],
  exitCodes: { pass: 'The raw profiles were written.' },
  run: (options, deps) => code().pgoAppGenerate(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-generate', of: 'project' }],
    needsCommands: true,
    cache: true,
    after: ['program', { stage: 'pgo-app-instrument' }],
    inputs: ['app', 'program', 'device', 'native', { written: '.kernloop/pgo/instrumented/*' }],
  },
});
