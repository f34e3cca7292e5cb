import { defineEither } from '../stage/either';
import { instrumentAppSchema, instrumentReproducerSchema, sampleOfEither } from './options';
import { instrumentedAppSchema, instrumentedReproducerSchema } from './result';

const ofReproducer = () => require('./reproducer') as typeof import('./reproducer');
const ofApp = () => require('./app') as typeof import('./app');

export const stage = defineEither(
  {
    name: 'pgo-instrument',
    summary: 'Build a kernel, or a whole app, with counters in its kernels.',
    exitCodes: { pass: 'The instrumented code was built.' },
    options: { sample: sampleOfEither },
  },
  {
    reproducer: {
      options: instrumentReproducerSchema,
      result: instrumentedReproducerSchema,
      selfContained: true,
      writes: [{ path: '{reproducer}/pgo/instrumented/', results: ['pgo/instrumented/map.json'] }],
      run: (options, deps) => ofReproducer().instrumentReproducer(options, deps),
      task: {
        cache: true,
        after: [{ stage: 'capture' }, { stage: 'recompile' }],
        inputs: ['reproducer', 'compiled', 'llvm'],
        needsSource: true,
        isCurrent: (options, deps) => ofReproducer().isUpToDate(options, deps),
      },
    },
    app: {
      options: instrumentAppSchema,
      result: instrumentedAppSchema,
      writes: [{ path: '{app}/.kernloop/pgo/instrumented/' }],
      run: (options, deps) => ofApp().instrumentApp(options, deps),
      task: { needsCommands: true, cache: true, after: ['program'], inputs: ['app', 'compileCommands', 'llvm'] },
    },
  },
);
