import { defineStage } from '../stage/stage';
import { pgoOptionsSchema } from './options';
import { pgoResultSchema } from './result';

const code = () => require('./show') as typeof import('./show');

export const stage = defineStage({
  name: 'pgo',
  summary: 'Show what the profile of a kernel says: counts, wave visits, uniformity and spills, block by block.',
  options: pgoOptionsSchema,
  result: pgoResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'action',
  paths: ['reproducer'],
  exitCodes: { pass: 'It is shown.' },
  run: (options, deps) => code().pgo(options, deps),
  exitCode: () => 0,
});
