import { defineStage } from '../stage/stage';
import { extractOptionsSchema } from './options';
import { extractResultSchema } from './result';

const code = () => require('./extract') as typeof import('./extract');

const adopting = () => require('./adopt-kernels') as typeof import('./adopt-kernels');

/** Options of the tasks before this one, which only adopts. */
const setOnTheCachedTasks = Object.keys(extractOptionsSchema.shape).filter(
  (name) => !['app', 'kernel', 'reset'].includes(name),
);

export const stage = defineStage({
  name: 'extract',
  summary: 'Turn kernels of an app into projects of their own: capture, generate, adopt.',
  options: extractOptionsSchema,
  result: extractResultSchema,
  onDevice: true,
  project: 'app',
  positional: 'kernel',
  trailing: 'command',
  paths: ['app', 'store'],
  exitCodes: {
    pass: 'Every kernel has its reproducer. If the app itself failed after the capture, its exit code is returned instead.',
  },
  run: (options, deps) => code().extract(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [
      { name: 'extract-kernel', of: 'project' },
      { name: 'extract', of: 'kernel' },
    ],
    // Not cached: the stage writes files that a user may edit.
    cache: false,
    after: [{ stage: 'generate' }],
    inputs: [],
    without: setOnTheCachedTasks,
    refused: { command: 'a task runs the command of kernloop.json' },
    // Tasks that it depends on have captured and generated.
    runsHere: true,
    run: (options, deps) => adopting().adoptKernels(options, deps),
    example: { reset: true },
  },
});
