import { defineStage } from '../stage/stage';
import { pgoAppBuildOptionsSchema } from './options';
import { pgoAppBuildResultSchema } from './result';

const code = () => require('./pgo-app-build') as typeof import('./pgo-app-build');

export const stage = defineStage({
  name: 'pgo-app-build',
  summary: 'Build an app with its kernel profile, once for each spill-placement gate.',
  options: pgoAppBuildOptionsSchema,
  result: pgoAppBuildResultSchema,
  project: 'app',
  positional: 'app',
  paths: ['app'],
  writes: [{ path: '{app}/.kernloop/pgo/variants/' }],
  exitCodes: { pass: 'The builds are ready.' },
  run: (options, deps) => code().pgoAppBuild(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-app-build', of: 'project' }],
    needsCommands: true,
    cache: true,
    after: [{ stage: 'pgo-app-merge' }],
    inputs: ['app', 'compileCommands', { written: '.kernloop/pgo/merged.*' }, 'llvm'],
  },
});
