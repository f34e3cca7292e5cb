import { defineEither } from '../stage/either';
import { buildAppSchema, buildReproducerSchema } from './options';
import { builtAppSchema, builtReproducerSchema } from './result';

const ofReproducer = () => require('./reproducer') as typeof import('./reproducer');
const ofApp = () => require('./app') as typeof import('./app');

export const stage = defineEither(
  {
    name: 'pgo-build',
    summary: 'Build a kernel, or a whole app, with its profile, once for each spill-placement gate.',
    exitCodes: { pass: 'The variants were built.' },
  },
  {
    reproducer: {
      options: buildReproducerSchema,
      result: builtReproducerSchema,
      selfContained: true,
      writes: [{ path: '{reproducer}/pgo/variants/', results: ['pgo/variants/*.report.json'] }],
      run: (options, deps) => ofReproducer().buildReproducer(options, deps),
      task: {
        cache: true,
        after: [{ stage: 'pgo-merge' }, { stage: 'recompile' }],
        inputs: ['reproducer', 'compiled', 'llvm', { written: 'pgo/merged.*' }],
        needsSource: true,
        isCurrent: (options, deps) => ofReproducer().isUpToDate(options, deps),
      },
    },
    app: {
      options: buildAppSchema,
      result: builtAppSchema,
      writes: [{ path: '{app}/.kernloop/pgo/variants/' }],
      run: (options, deps) => ofApp().buildApp(options, deps),
      task: {
        needsCommands: true,
        cache: true,
        after: [{ stage: 'pgo-merge' }],
        inputs: ['app', 'compileCommands', { written: '.kernloop/pgo/merged.*' }, 'llvm'],
      },
    },
  },
);
