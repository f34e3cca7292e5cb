import { defineStage } from '../stage/stage';
import { traceRunOptionsSchema } from './options';
import { traceRunResultSchema } from './result';

const code = () => require('./trace-run') as typeof import('./trace-run');

export const stage = defineStage({
  name: 'trace-run',
  verb: 'trace run',
  summary: 'Replay captured dispatches with probes in the kernel, and write a trace.',
  options: traceRunOptionsSchema,
  result: traceRunResultSchema,
  onDevice: true,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store', 'output'],
  writes: [{ path: '{reproducer}/trace/', results: ['trace/**/probe-run.json'] }],
  exitCodes: {
    pass: 'The trace was written, and the kernel computed the same as without probes.',
    fail: 'The kernel computed something else with the probes in it.',
    fault: 'The device faulted, or the kernel exceeded its limit.',
  },
  run: (options, deps) => code().traceRun(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [{ name: 'trace-run', of: 'project' }],
    cache: true,
    after: [{ stage: 'capture' }, { stage: 'recompile' }],
    // A probe.toml of the user is covered by the files of the reproducer.
    inputs: ['reproducer', 'codeObjects', 'capture', 'variant', 'device'],
    without: ['output', 'allowCallback'],
    refused: {
      output: 'the cache knows what it brings back: trace/ of the reproducer',
      allowCallback: 'a task whose result is brought back would not run it',
    },
    example: { probe: 'dmat' },
    run: (options, deps) => code().traceRunTask(options, deps),
  },
});
