import { defineStage } from '../stage/stage';
import { pullOptionsSchema } from './options';
import { pullResultSchema } from './result';

const code = () => require('./pull') as typeof import('./pull');

export const stage = defineStage({
  name: 'pull',
  summary: 'Fetch captures that were pushed to a server, every byte verified.',
  options: pullOptionsSchema,
  result: pullResultSchema,
  project: 'none',
  positional: 'source',
  paths: ['to', 'store'],
  exitCodes: { pass: 'The captures are there, every byte of them verified.' },
  run: (options, deps) => code().pull(options, deps),
  exitCode: () => 0,
});
