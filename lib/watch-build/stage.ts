import { defineStage } from '../stage/stage';
import { watchBuildOptionsSchema } from './options';
import { watchBuildResultSchema } from './result';

const code = () => require('./watch-build') as typeof import('./watch-build');

export const stage = defineStage({
  name: 'watch-build',
  summary: 'Run the build of an app that has no compile database, and write one.',
  options: watchBuildOptionsSchema,
  result: watchBuildResultSchema,
  project: 'app',
  positional: 'command',
  paths: ['app'],
  exitCodes: { pass: 'The app was built and its compile database written.' },
  run: (options, deps) => code().watchBuild(options, deps),
  exitCode: () => 0,
});
