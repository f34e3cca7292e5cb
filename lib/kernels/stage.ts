import { defineStage } from '../stage/stage';
import { kernelsOptionsSchema } from './options';
import { kernelsResultSchema } from './result';

const code = () => require('./kernels') as typeof import('./kernels');

export const stage = defineStage({
  name: 'kernels',
  summary: 'List the apps of a workspace, their declared kernels, their reproducers and the last verdict on each.',
  options: kernelsOptionsSchema,
  result: kernelsResultSchema,
  project: 'none',
  positional: 'workspace',
  paths: ['workspace'],
  exitCodes: { pass: 'The list is complete, or says what it lacks.' },
  readOnly: true,
  run: (options, deps) => Promise.resolve(code().kernels(options, deps)),
  exitCode: () => 0,
});
