import { defineStage } from '../stage/stage';
import { pgoShowOptionsSchema } from './options';
import { pgoShowResultSchema } from './result';

const code = () => require('./show') as typeof import('./show');

export const stage = defineStage({
  name: 'pgo-show',
  verb: 'pgo show',
  summary: 'Show the profile of a kernel, block by block: counts, wave visits, uniformity, spills.',
  options: pgoShowOptionsSchema,
  result: pgoShowResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  exitCodes: { pass: 'The profile was shown.' },
  readOnly: true,
  run: (options, deps) => code().pgoShow(options, deps),
  exitCode: () => 0,
});
