import { defineStage } from '../stage/stage';
import { packOptionsSchema } from './options';
import { packResultSchema } from './result';

const code = () => require('./pack') as typeof import('./pack');

export const stage = defineStage({
  name: 'pack',
  summary: 'Make one file of a capture, with every chunk it needs.',
  options: packOptionsSchema,
  result: packResultSchema,
  project: 'none',
  positional: 'capture',
  paths: ['capture', 'output', 'store'],
  exitCodes: { pass: 'The file is there.' },
  run: (options, deps) => code().pack(options, deps),
  exitCode: () => 0,
});
