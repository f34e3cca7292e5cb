import { defineStage } from '../stage/stage';
import { pgoRuntimeOptionsSchema } from './options';
import { pgoRuntimeResultSchema } from './result';

const code = () => require('./pgo-runtime') as typeof import('./pgo-runtime');

export const stage = defineStage({
  name: 'pgo-runtime',
  summary: 'Run an app that compiles kernels at run time: measure them, then use their profiles.',
  options: pgoRuntimeOptionsSchema,
  result: pgoRuntimeResultSchema,
  onDevice: true,
  isWithoutDevice: ({ phase }) => phase === 'build',
  project: 'app',
  positional: 'app',
  paths: ['app'],
  exitCodes: { pass: 'The app ran. The output says which code each kernel used.' },
  run: (options, deps) => code().pgoRuntime(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-runtime', of: 'project' }],
    needsCommands: true,
    cache: false,
    after: ['program'],
    inputs: [],
  },
});
