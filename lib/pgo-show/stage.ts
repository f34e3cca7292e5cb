import { defineStage } from '../stage/stage';
import { pgoShowOptionsSchema } from './options';
import { pgoShowResultSchema } from './result';

const code = () => require('./show') as typeof import('./show');

export const stage = defineStage({
  name: 'pgo-show',
  verb: 'pgo show',
  summary: 'Show what the profile of a kernel says: counts, wave visits, uniformity and spills, block by block.',
  options: pgoShowOptionsSchema,
  result: pgoShowResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  exitCodes: { pass: 'It is shown.' },
  run: (options, deps) => code().pgoShow(options, deps),
  exitCode: () => 0,
});
