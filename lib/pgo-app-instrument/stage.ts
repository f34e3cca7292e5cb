import { defineStage } from '../stage/stage';
import { pgoAppInstrumentOptionsSchema } from './options';
import { pgoAppInstrumentResultSchema } from './result';

const code = () => require('./pgo-app-instrument') as typeof import('./pgo-app-instrument');

export const stage = defineStage({
  name: 'pgo-app-instrument',
  summary: 'Build an app again, with counters in its kernels.',
  options: pgoAppInstrumentOptionsSchema,
  result: pgoAppInstrumentResultSchema,
  project: 'app',
  positional: 'app',
  paths: ['app'],
  writes: [{ path: '{app}/.kernloop/pgo/instrumented/' }],
  exitCodes: { pass: 'The instrumented program was built.' },
  run: (options, deps) => code().pgoAppInstrument(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-instrument', of: 'project' }],
    needsCommands: true,
    cache: true,
    after: ['program'],
    inputs: ['app', 'compileCommands', 'llvm'],
  },
});
