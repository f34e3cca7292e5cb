import { defineStage } from '../stage/stage';
import { pgoInstrumentOptionsSchema } from './options';
import { pgoInstrumentResultSchema } from './result';

const code = () => require('./pgo-instrument') as typeof import('./pgo-instrument');

export const stage = defineStage({
  name: 'pgo-instrument',
  summary: 'Build a kernel with counters in it.',
  options: pgoInstrumentOptionsSchema,
  result: pgoInstrumentResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  writes: [{ path: '{reproducer}/pgo/instrumented/', results: ['pgo/instrumented/map.json'] }],
  exitCodes: { pass: 'The instrumented code was built.' },
  run: (options, deps) => code().pgoInstrument(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'pgo-instrument', of: 'project' }],
    cache: true,
    after: [{ stage: 'capture' }, { stage: 'recompile' }],
    inputs: ['reproducer', 'compiled', 'llvm'],
    needsSource: true,
    isCurrent: (options, deps) => code().isUpToDate(options, deps),
  },
});
