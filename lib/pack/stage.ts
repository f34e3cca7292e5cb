import { defineStage } from '../stage/stage';
import { packOptionsSchema } from './options';
import { packResultSchema } from './result';

const code = () => require('./pack') as typeof import('./pack');

export const stage = defineStage({
  name: 'pack',
  summary: 'Pack a capture, with every chunk it needs, into one file.',
  options: packOptionsSchema,
  result: packResultSchema,
  project: 'none',
  positional: 'capture',
  paths: ['capture', 'output', 'store', 'encrypt'],
  exitCodes: { pass: 'The file was written.' },
  run: (options, deps) => code().pack(options, deps),
  exitCode: () => 0,
});
