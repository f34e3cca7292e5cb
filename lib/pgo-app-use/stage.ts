import { defineStage } from '../stage/stage';
import { pgoAppUseOptionsSchema } from './options';
import { pgoAppUseResultSchema } from './result';

const code = () => require('./pgo-app-use') as typeof import('./pgo-app-use');

export const stage = defineStage({
  name: 'pgo-app-use',
  summary: 'Compare the profiled builds with the app itself, and keep the best one.',
  options: pgoAppUseOptionsSchema,
  result: pgoAppUseResultSchema,
  onDevice: true,
  project: 'app',
  positional: 'app',
  paths: ['app'],
  exitCodes: { pass: 'The best build was found, or none is better.' },
  run: (options, deps) => code().pgoAppUse(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-use', of: 'project' }],
    needsCommands: true,
    cache: false,
    after: [{ stage: 'pgo-app-build' }],
    inputs: [],
  },
});
