import { defineStage } from '../stage/stage';
import { replayOptionsSchema } from './options';
import { replayResultSchema } from './result';

const code = () => require('./replay') as typeof import('./replay');

export const stage = defineStage({
  name: 'replay',
  summary: 'Run a captured dispatch, or your edit of it, again and measure it.',
  options: replayOptionsSchema,
  result: replayResultSchema,
  onDevice: true,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store', 'dump', 'lens', 'lensOutput'],
  writes: [{ path: '{reproducer}/build/results/', results: ['build/results/*'] }],
  exitCodes: {
    pass: 'The replay ran to its end.',
    fault: 'The device faulted, or the kernel exceeded its limit.',
  },
  run: (options, deps) => code().replay(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [{ name: 'replay', of: 'project' }],
    // Not cached: a time must always be measured.
    cache: false,
    after: [{ stage: 'capture' }, { stage: 'recompile' }],
    inputs: [],
    example: { compare: true, iterations: 30 },
  },
});
