import { defineStage } from '../stage/stage';
import { pgoUseOptionsSchema } from './options';
import { pgoUseResultSchema } from './result';

const code = () => require('./pgo-use') as typeof import('./pgo-use');

export const stage = defineStage({
  name: 'pgo-use',
  summary: 'Validate and measure what pgo-build built. Keep the best, unless it is wrong or slower.',
  options: pgoUseOptionsSchema,
  result: pgoUseResultSchema,
  onDevice: true,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store'],
  writes: [{ path: '{reproducer}/pgo/choice.json', results: ['pgo/choice.json'] }],
  exitCodes: { pass: 'The best variant was found, or none is better.' },
  run: (options, deps) => code().pgoUse(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-use', of: 'project' }],
    // Not cached: on hardware a measured time decides; on the software GPU the stage keeps its own result and checks
    // that the placed file is still there.
    cache: false,
    after: [{ stage: 'capture' }, { stage: 'pgo-build' }],
    inputs: [],
    needsSource: true,
    run: (options, deps) => code().pgoUseTask(options, deps),
  },
});
