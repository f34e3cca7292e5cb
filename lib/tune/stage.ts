import { defineStage } from '../stage/stage';
import { tuneOptionsSchema } from './options';
import { tuneResultSchema } from './result';

const code = () => require('./tune') as typeof import('./tune');

export const stage = defineStage({
  name: 'tune',
  summary:
    'Try configurations of a kernel on its captured inputs: each is judged as by validate, and the best is named.',
  options: tuneOptionsSchema,
  result: tuneResultSchema,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store'],
  exitCodes: {
    pass: 'It is known which configuration is best, or that none is better than the source as it is.',
    fail: 'No configuration passes.',
  },
  run: (options, deps) => code().tune(options, deps),
  exitCode: ({ candidates }) => (candidates.some(({ status }) => status === 'pass') ? 0 : 1),
  task: {
    targets: [{ name: 'tune', of: 'project' }],
    // It remembers each candidate by itself; on hardware what counts is a time.
    cache: false,
    after: [{ stage: 'capture' }],
    inputs: [],
    outputs: [],
    needsSource: true,
    without: ['apply'],
    example: { set: ['BLOCK=64,128,256'] },
  },
});
