import { defineStage } from '../stage/stage';
import { traceReadOptionsSchema } from './options';
import { traceReadResultSchema } from './result';

const code = () => require('./trace-read') as typeof import('./trace-read');

export const stage = defineStage({
  name: 'trace-read',
  verb: 'trace read',
  summary:
    'Read a trace of Neutrino (its files, what the probes cost, what every column holds), or events that kernels recorded.',
  options: traceReadOptionsSchema,
  result: traceReadResultSchema,
  project: 'none',
  positional: 'trace',
  paths: ['trace', 'probe'],
  exitCodes: { pass: 'Every file adds up.', fail: 'A result file of the folder does not; `error` of it says why.' },
  run: (options, deps) => code().traceRead(options, deps),
  exitCode: (result) => code().traceReadExitCode(result),
});
