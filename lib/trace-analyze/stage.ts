import { defineStage } from '../stage/stage';
import { traceAnalyzeOptionsSchema } from './options';
import { traceAnalyzeResultSchema } from './result';

const code = () => require('./trace-analyze') as typeof import('./trace-analyze');

export const stage = defineStage({
  name: 'trace-analyze',
  verb: 'trace analyze',
  summary:
    'Analyse a trace: how blocks were scheduled, which memory was touched when, what was counted, how far threads got.',
  options: traceAnalyzeOptionsSchema,
  result: traceAnalyzeResultSchema,
  project: 'none',
  positional: 'trace',
  paths: ['trace', 'probe', 'output'],
  exitCodes: { pass: 'Done.' },
  run: (options, deps) => code().traceAnalyze(options, deps),
  exitCode: () => 0,
});
