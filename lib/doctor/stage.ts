import { defineStage } from '../stage/stage';
import { doctorOptionsSchema } from './options';
import { doctorResultSchema } from './check';

const code = () => require('./doctor') as typeof import('./doctor');

export const stage = defineStage({
  name: 'doctor',
  summary: 'Say what this machine has and lacks for Kernloop.',
  options: doctorOptionsSchema,
  result: doctorResultSchema,
  project: 'none',
  paths: ['app'],
  exitCodes: { pass: 'Nothing is missing.', environment: 'Something is, which the list says.' },
  run: (options, deps) => code().runDoctor(options, deps),
  exitCode: ({ exitCode }) => exitCode,
});
