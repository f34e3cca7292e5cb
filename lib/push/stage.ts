import { defineStage } from '../stage/stage';
import { pushOptionsSchema } from './options';
import { pushResultSchema } from './result';

const code = () => require('./push') as typeof import('./push');

export const stage = defineStage({
  name: 'push',
  summary: 'Send the captures of a reproducer to a server, so that other machines can pull them.',
  options: pushOptionsSchema,
  result: pushResultSchema,
  project: 'none',
  positional: 'capture',
  paths: ['capture', 'store', 'encrypt'],
  writes: [{ path: '{reproducer}/pushed.json', committed: true }],
  exitCodes: { pass: 'The server has everything.' },
  run: (options, deps) => code().push(options, deps),
  exitCode: () => 0,
});
