import { defineStage } from '../stage/stage';
import { traceExportOptionsSchema } from './options';
import { traceExportResultSchema } from './result';

const code = () => require('./trace-export') as typeof import('./trace-export');

export const stage = defineStage({
  name: 'trace-export',
  verb: 'trace export',
  summary: 'Export a trace: probe records as tables, kernel events as one timeline.',
  options: traceExportOptionsSchema,
  result: traceExportResultSchema,
  project: 'none',
  positional: 'trace',
  paths: ['trace', 'probe', 'output', 'ranks', 'profile'],
  exitCodes: { pass: 'The files were written.' },
  run: (options, deps) => code().traceExport(options, deps),
  exitCode: () => 0,
});
