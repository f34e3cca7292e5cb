import { defineStage } from '../stage/stage';
import { unpackOptionsSchema } from './options';
import { unpackResultSchema } from './result';

const code = () => require('./unpack') as typeof import('./unpack');

export const stage = defineStage({
  name: 'unpack',
  summary: 'Unpack a packed capture and verify every byte.',
  options: unpackOptionsSchema,
  result: unpackResultSchema,
  project: 'none',
  positional: 'file',
  paths: ['file', 'to'],
  exitCodes: { pass: 'The capture was unpacked, and every byte is verified.' },
  run: (options, deps) => code().unpack(options, deps),
  exitCode: () => 0,
});
