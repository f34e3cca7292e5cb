import { defineStage } from '../stage/stage';
import { tuneOptionsSchema } from './options';
import { tuneResultSchema } from './result';

const code = () => require('./tune') as typeof import('./tune');

export const stage = defineStage({
  name: 'tune',
  summary: 'Find the best configuration of a kernel on its captured inputs. Each one is validated.',
  options: tuneOptionsSchema,
  result: tuneResultSchema,
  onDevice: true,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store'],
  writes: [{ path: '{reproducer}/build/tune/', results: ['build/tune/tune.json'] }],
  exitCodes: {
    pass: 'The best configuration was found, or none beats the source as it is.',
    fail: 'No configuration passes validation.',
  },
  run: (options, deps) => code().tune(options, deps),
  exitCode: ({ candidates }) => (candidates.some(({ status }) => status === 'pass') ? 0 : 1),
  task: {
    targets: [{ name: 'tune', of: 'project' }],
    // Candidates are cached one by one; on hardware scores are times, which must not be cached.
    cache: false,
    after: [{ stage: 'capture' }],
    inputs: [],
    needsSource: true,
    without: ['apply'],
    example: { set: ['BLOCK=64,128,256'] },
  },
});
