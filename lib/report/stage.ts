import { defineStage } from '../stage/stage';
import { reportOptionsSchema } from './options';
import { reportPageSchema } from './result';

const code = () => require('./report') as typeof import('./report');

export const stage = defineStage({
  name: 'report',
  summary: 'Put what is known of a reproducer, a trace or a workspace onto one page that can be sent.',
  options: reportOptionsSchema,
  result: reportPageSchema,
  project: 'reproducer',
  projectless: ['trace', 'workspace'],
  positional: 'reproducer',
  paths: ['reproducer', 'trace', 'workspace', 'ranks', 'output'],
  writes: [{ path: '{reproducer}/build/report.html' }],
  exitCodes: { pass: 'The page is written.' },
  run: (options, deps) => code().report(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'report', of: 'project' }],
    cache: true,
    // No dependencies: the page also shows a failed verdict, and Nx never runs a task after one that failed.
    after: [],
    inputs: ['reproducer', 'results'],
    without: ['trace', 'workspace', 'ranks', 'clockMhz', 'unaligned', 'output'],
  },
});
