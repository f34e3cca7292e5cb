import { softgpuOfEither } from '../pgo-generate/options';
import { defineEither } from '../stage/either';
import { useInAppSchema, useInReproducerSchema } from './options';
import { chosenBuildSchema, chosenVariantSchema } from './result';

const ofReproducer = () => require('./reproducer') as typeof import('./reproducer');
const ofApp = () => require('./app') as typeof import('./app');

export const stage = defineEither(
  {
    name: 'pgo-use',
    summary: 'Compare what pgo-build built with the code as it is. Keep the best, unless it is wrong or slower.',
    exitCodes: { pass: 'The best build was found, or none is better.' },
    onDevice: true,
    options: { softgpu: softgpuOfEither },
  },
  {
    reproducer: {
      options: useInReproducerSchema,
      result: chosenVariantSchema,
      paths: ['store'],
      writes: [{ path: '{reproducer}/pgo/choice.json', results: ['pgo/choice.json'] }],
      run: (options, deps) => ofReproducer().useInReproducer(options, deps),
      task: {
        // Not cached: on hardware a measured time decides; on the software GPU the stage keeps its own result and
        // checks that the placed file is still there.
        cache: false,
        after: [{ stage: 'capture' }, { stage: 'pgo-build' }],
        inputs: [],
        needsSource: true,
        run: (options, deps) => ofReproducer().useTask(options, deps),
      },
    },
    app: {
      options: useInAppSchema,
      result: chosenBuildSchema,
      run: (options, deps) => ofApp().useInApp(options, deps),
      task: { needsCommands: true, cache: false, after: [{ stage: 'pgo-build' }], inputs: [] },
    },
  },
);
