import { defineStage } from '../stage/stage';
import { exportTaskOptionsSchema } from './options';
import { exportTaskResultSchema } from './result';

const code = () => require('./export-task') as typeof import('./export-task');

export const stage = defineStage({
  name: 'export-task',
  summary: 'Write a reproducer as a task of a benchmark for agents: AgentKernelArena, flashinfer-bench.',
  options: exportTaskOptionsSchema,
  result: exportTaskResultSchema,
  project: 'none',
  positional: 'reproducer',
  paths: ['reproducer', 'output', 'store'],
  exitCodes: { pass: 'The task was written.' },
  run: (options, deps) => code().exportTask(options, deps),
  exitCode: () => 0,
});
