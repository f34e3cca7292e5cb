import type { Deps } from '../deps/deps';
import { defineStage } from '../stage/stage';
import { recompileOptionsSchema, type RecompileOptions } from './options';
import { recompileResultSchema } from './result';

const code = () => require('./recompile') as typeof import('./recompile');

const current = () => require('./current-variant') as typeof import('./current-variant');

const edited = () => require('./recompile-edited') as typeof import('./recompile-edited');

/** Work that other stages need before they replay an edit. */
export const recompileEdited = (options: RecompileOptions, forgets: boolean, deps: Deps): Promise<void> =>
  edited().recompileEdited(options, forgets, deps);

export const stage = defineStage({
  name: 'recompile',
  summary: 'Rebuild the kernel of a reproducer from its edited source.',
  options: recompileOptionsSchema,
  result: recompileResultSchema,
  project: 'reproducer',
  selfContained: true,
  positional: 'reproducer',
  paths: ['reproducer'],
  // Single files, because the user may put others beside them.
  writes: ['variant.{extension}', 'variant.ptx', 'variant.json'].map((file) => ({
    path: `{reproducer}/build/${file}`,
  })),
  exitCodes: { pass: 'The code object was built.' },
  run: (options, deps) => code().recompile(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'recompile', of: 'project' }],
    cache: true,
    after: [],
    inputs: ['reproducer', 'compiled', 'toolchain'],
    needsSource: true,
    isCurrent: (options, deps) => current().isUpToDate(options, deps),
  },
});
