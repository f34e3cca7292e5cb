import { defineStage } from '../stage/stage';
import { traceAnalyzeOptionsSchema } from './options';
import { traceAnalyzeResultSchema } from './result';

const code = () => require('./trace-analyze') as typeof import('./trace-analyze');

export const stage = defineStage({
  name: 'trace-analyze',
  verb: 'trace analyze',
  summary: 'Analyse a trace: block schedules, memory access over time, totals, progress of threads.',
  options: traceAnalyzeOptionsSchema,
  result: traceAnalyzeResultSchema,
  project: 'none',
  positional: 'trace',
  paths: ['trace', 'probe', 'output'],
  exitCodes: { pass: 'Done.' },
  run: (options, deps) => code().traceAnalyze(options, deps),
  exitCode: () => 0,
});
