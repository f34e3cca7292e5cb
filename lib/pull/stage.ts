import { defineStage } from '../stage/stage';
import { pullOptionsSchema } from './options';
import { pullResultSchema } from './result';

const code = () => require('./pull') as typeof import('./pull');

export const stage = defineStage({
  name: 'pull',
  summary: 'Fetch captures from a server and verify every byte.',
  options: pullOptionsSchema,
  result: pullResultSchema,
  project: 'none',
  positional: 'source',
  paths: ['to', 'store'],
  exitCodes: { pass: 'The captures were fetched, and every byte is verified.' },
  run: (options, deps) => code().pull(options, deps),
  exitCode: () => 0,
});
