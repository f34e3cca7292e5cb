import { defineStage } from '../stage/stage';
import { adoptOptionsSchema } from './options';
import { adoptResultSchema } from './result';

const code = () => require('./adopt') as typeof import('./adopt');

export const stage = defineStage({
  name: 'adopt',
  summary: 'Copy what does not exist yet out of the pristine files of a reproducer.',
  options: adoptOptionsSchema,
  result: adoptResultSchema,
  project: 'none',
  positional: 'reproducer',
  paths: ['reproducer'],
  exitCodes: { pass: 'Every file is there; what differs is named, and stays.' },
  run: (options, deps) => code().adopt(options, deps),
  exitCode: () => 0,
});
