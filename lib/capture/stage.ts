import { defineStage } from '../stage/stage';
import { captureFiles } from '../archive/capture-files';
import { captureOptionsSchema } from './options';
import { captureResultSchema } from './result';

const code = () => require('./capture') as typeof import('./capture');

const shownFiles = ['capture.json', 'observed.json'];

export const stage = defineStage({
  name: 'capture',
  summary: 'Run an app and capture dispatches of its kernels.',
  options: captureOptionsSchema,
  result: captureResultSchema,
  onDevice: true,
  project: 'app',
  positional: 'kernel',
  paths: ['app', 'output', 'store'],
  writes: [
    // Lists files, not folders: on a cache hit Nx removes everything else in a listed folder.
    ...['capture', 'captures/*'].flatMap((folder) =>
      captureFiles.map((name) => ({
        path: `{reproducer}/${folder}/${name}`,
        ...(shownFiles.includes(name) ? { results: [`${folder}/${name}`] } : {}),
      })),
    ),
    { path: '{reproducer}/capture.lock', restored: false },
  ],
  exitCodes: {
    pass: 'Everything asked for was captured. If the app itself failed afterwards, its exit code is returned instead.',
  },
  run: (options, deps) => code().capture(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [{ name: 'capture', of: 'kernel' }],
    cache: true,
    after: ['build', 'program'],
    // The two variables are no options, but decide whether a capture contains the programs that the app compiled.
    inputs: [
      'app',
      'program',
      'selection',
      'device',
      'store',
      { variable: 'KERNLOOP_NVRTC_RECORD' },
      { variable: 'KERNLOOP_TRITON_RECORD' },
    ],
    without: ['dryRun'],
    refused: { dryRun: 'a dry run captures nothing, and Nx would keep that as the result of the task' },
    fixed: { build: false },
    // A failing exit code of the app's own, after a complete capture, fails no task.
    run: (options, deps) => code().captureUnlessKept(options, deps),
  },
});
