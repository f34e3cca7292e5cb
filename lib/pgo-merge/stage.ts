import { defineEither } from '../stage/either';
import { mergeOfAppSchema, mergeOfReproducerSchema } from './options';
import { mergedAppSchema, mergedReproducerSchema } from './result';

const code = () => require('./pgo-merge') as typeof import('./pgo-merge');

/** The task does not notice changes of files elsewhere. */
const withoutInput = {
  without: ['input'],
  refused: {
    input: '--input names profiles that the task does not know as its inputs: a change of them would not be noticed',
  },
} as const;

export const stage = defineEither(
  {
    name: 'pgo-merge',
    summary: 'Merge raw profiles into one that the compiler reads, with uniformity and wave visits.',
    exitCodes: { pass: 'The merged profile was written.' },
  },
  {
    reproducer: {
      options: mergeOfReproducerSchema,
      result: mergedReproducerSchema,
      selfContained: true,
      paths: ['input'],
      writes: [
        { path: '{reproducer}/pgo/merged.profdata' },
        { path: '{reproducer}/pgo/merged.waves.json', results: ['pgo/merged.waves.json'] },
        { path: '{reproducer}/pgo/merged.json', results: ['pgo/merged.json'] },
      ],
      run: (options, deps) => code().mergeOfReproducer(options, deps),
      task: {
        ...withoutInput,
        cache: true,
        after: [{ stage: 'pgo-generate' }],
        inputs: ['reproducer', { written: 'pgo/raw/*' }, 'llvm', 'native'],
        needsSource: true,
      },
    },
    app: {
      options: mergeOfAppSchema,
      result: mergedAppSchema,
      paths: ['input'],
      writes: [
        'merged.profdata',
        'merged.profdata.amdgcn-amd-amdhsa.profdata',
        'merged.profdata.nvptx64-nvidia-cuda.profdata',
        'merged.waves.json',
        'merged.json',
      ].map((file) => ({ path: `{app}/.kernloop/pgo/${file}` })),
      run: (options, deps) => code().mergeOfApp(options, deps),
      task: {
        ...withoutInput,
        needsCommands: true,
        cache: true,
        after: [{ stage: 'pgo-generate' }],
        inputs: ['app', { written: '.kernloop/pgo/raw/*' }, 'llvm', 'native'],
      },
    },
  },
);
