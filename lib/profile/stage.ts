import { defineStage } from '../stage/stage';
import { profileOptionsSchema } from './options';
import { profileSchema } from './profile-json';

const code = () => require('./profile') as typeof import('./profile');

export const stage = defineStage({
  name: 'profile',
  summary: 'Rank the kernels that an app launches.',
  options: profileOptionsSchema,
  result: profileSchema,
  onDevice: true,
  project: 'app',
  positional: 'app',
  trailing: 'command',
  paths: ['app', 'output'],
  writes: [{ path: '{app}/.kernloop/profile.json' }],
  exitCodes: { pass: 'The app ran and its launches were counted.' },
  run: (options, deps) => code().profile(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'profile', of: 'project' }],
    cache: true,
    after: ['build', 'program'],
    inputs: ['app', 'program', 'device'],
    without: ['command'],
    refused: { command: 'a task runs the command of kernloop.json' },
    fixed: { build: false },
  },
});
