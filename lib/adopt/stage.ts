import { defineStage } from '../stage/stage';
import { adoptOptionsSchema } from './options';
import { adoptResultSchema } from './result';

const code = () => require('./adopt') as typeof import('./adopt');

export const stage = defineStage({
  name: 'adopt',
  summary: 'Add the files a reproducer lacks, from its pristine copy.',
  options: adoptOptionsSchema,
  result: adoptResultSchema,
  project: 'none',
  positional: 'reproducer',
  paths: ['reproducer'],
  exitCodes: { pass: 'Every file is in place. Files you changed are listed and kept.' },
  run: (options, deps) => code().adopt(options, deps),
  exitCode: () => 0,
});
