import { defineStage } from '../stage/stage';
import { unpackOptionsSchema } from './options';
import { unpackResultSchema } from './result';

const code = () => require('./unpack') as typeof import('./unpack');

export const stage = defineStage({
  name: 'unpack',
  summary: 'Make a capture of a packed one, every byte verified.',
  options: unpackOptionsSchema,
  result: unpackResultSchema,
  project: 'none',
  positional: 'file',
  paths: ['file', 'to'],
  exitCodes: { pass: 'The capture is there, every byte of it verified.' },
  run: (options, deps) => code().unpack(options, deps),
  exitCode: () => 0,
});
