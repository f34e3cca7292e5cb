import { defineStage } from '../stage/stage';
import { verifyReportOptionsSchema } from './options';
import { verifyReportResultSchema } from './result';

const code = () => require('./verify-report') as typeof import('./verify-report');

export const stage = defineStage({
  name: 'verify-report',
  summary: 'Say whether reports of judge are genuine, and of this capture, these settings and these sources.',
  options: verifyReportOptionsSchema,
  result: verifyReportResultSchema,
  project: 'none',
  positional: 'file',
  paths: ['file', 'reproducer', 'candidate', 'home'],
  readOnly: true,
  exitCodes: {
    pass: 'Every report is genuine, and its candidate passes.',
    fail: 'A genuine report is on a candidate that is wrong, does not compile or cannot be launched.',
    vacuous: 'A genuine report is on a candidate for which nothing was compared.',
    fault: 'A genuine report is on a candidate with which the device faulted, or that exceeded its limit.',
    environment: 'A genuine report has no verdict.',
  },
  run: (options, deps) => code().verifyReport(options, deps),
  exitCode: (result) => code().exitCodeOf(result),
});
