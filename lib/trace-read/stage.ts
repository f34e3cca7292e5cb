import { defineStage } from '../stage/stage';
import { traceReadOptionsSchema } from './options';
import { traceReadResultSchema } from './result';

const code = () => require('./trace-read') as typeof import('./trace-read');

export const stage = defineStage({
  name: 'trace-read',
  verb: 'trace read',
  summary: 'Show what a trace holds: a Neutrino trace (files, cost of the probes, columns), or kernel events.',
  options: traceReadOptionsSchema,
  result: traceReadResultSchema,
  project: 'none',
  positional: 'trace',
  paths: ['trace', 'probe'],
  exitCodes: { pass: 'Every file is consistent.', fail: 'A result file is not consistent; `error` says why.' },
  readOnly: true,
  run: (options, deps) => code().traceRead(options, deps),
  exitCode: (result) => code().traceReadExitCode(result),
});
