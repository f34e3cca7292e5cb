import { defineStage } from '../stage/stage';
import { pgoAppUseOptionsSchema } from './options';
import { pgoAppUseResultSchema } from './result';

const code = () => require('./pgo-app-use') as typeof import('./pgo-app-use');

export const stage = defineStage({
  name: 'pgo-app-use',
  summary:
    'Run the builds of an app by its profile beside the app, and keep the one that executes least, if one is better.',
  options: pgoAppUseOptionsSchema,
  result: pgoAppUseResultSchema,
  project: 'app',
  positional: 'app',
  paths: ['app'],
  exitCodes: { pass: 'It is known which build is best, or that none is.' },
  run: (options, deps) => code().pgoAppUse(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-use', of: 'project' }],
    needsCommands: true,
    cache: false,
    after: [{ stage: 'pgo-app-build' }],
    inputs: [],
    outputs: [],
  },
});
