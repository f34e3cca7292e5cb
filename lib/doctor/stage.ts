import { defineStage } from '../stage/stage';
import { doctorOptionsSchema } from './options';
import { doctorResultSchema } from './check';

const code = () => require('./doctor') as typeof import('./doctor');

export const stage = defineStage({
  name: 'doctor',
  summary: 'Check what this machine has for Kernloop, and what is missing.',
  options: doctorOptionsSchema,
  result: doctorResultSchema,
  project: 'none',
  paths: ['app'],
  exitCodes: { pass: 'Nothing is missing.', environment: 'Something is missing. The list says what.' },
  readOnly: true,
  run: (options, deps) => code().runDoctor(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
});
