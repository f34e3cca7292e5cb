import { defineEither } from '../stage/either';
import { generateFromAppSchema, generateFromReproducerSchema, softgpuOfEither } from './options';
import { appProfilesSchema, reproducerProfilesSchema } from './result';

const ofReproducer = () => require('./reproducer') as typeof import('./reproducer');
const ofApp = () => require('./app') as typeof import('./app');

export const stage = defineEither(
  {
    name: 'pgo-generate',
    summary: 'Replay the captured dispatches, or run the app, with counters in the kernels.',
    exitCodes: { pass: 'The raw profiles were written.' },
    onDevice: true,
    options: { softgpu: softgpuOfEither },
  },
  {
    reproducer: {
      options: generateFromReproducerSchema,
      result: reproducerProfilesSchema,
      selfContained: true,
      paths: ['store'],
      writes: [{ path: '{reproducer}/pgo/raw/' }],
      run: (options, deps) => ofReproducer().generateFromReproducer(options, deps),
      task: {
        cache: true,
        after: [{ stage: 'capture' }, { stage: 'pgo-instrument' }],
        // Options in kernel.json are covered by the files of the reproducer.
        inputs: ['reproducer', 'capture', 'device', 'native', { written: 'pgo/instrumented/*' }],
        needsSource: true,
        run: (options, deps) => ofReproducer().generateTask(options, deps),
      },
    },
    app: {
      options: generateFromAppSchema,
      result: appProfilesSchema,
      writes: [{ path: '{app}/.kernloop/pgo/raw/' }],
      run: (options, deps) => ofApp().generateFromApp(options, deps),
      task: {
        needsCommands: true,
        cache: true,
        after: ['program', { stage: 'pgo-instrument' }],
        inputs: ['app', 'program', 'device', 'native', { written: '.kernloop/pgo/instrumented/*' }],
      },
    },
  },
);
