import { defineStage } from '../stage/stage';
import { validateOptionsSchema } from './options';
import { reportSchema } from './report-json';

const code = () => require('./validate') as typeof import('./validate');

export const stage = defineStage({
  name: 'validate',
  summary: 'Check an edited kernel: replay it and compare memory with what the app computed.',
  options: validateOptionsSchema,
  result: reportSchema,
  onDevice: true,
  project: 'reproducer',
  positional: 'reproducer',
  paths: ['reproducer', 'store'],
  writes: [
    { path: '{reproducer}/report.json', results: ['report.json'] },
    { path: '{reproducer}/build/results/', results: ['build/results/*'], restored: false },
  ],
  exitCodes: {
    pass: 'Memory is what the app computed.',
    fail: 'Memory differs, or the variant could not be launched as the app does.',
    vacuous: 'Nothing was compared that could tell right from wrong.',
    fault: 'The device faulted, or the kernel exceeded its limit.',
  },
  run: (options, deps) => code().validate(options, deps),
  exitCode: ({ exit_code: exitCode }) => exitCode,
  task: {
    targets: [{ name: 'validate', of: 'project' }],
    cache: true,
    after: [{ stage: 'capture' }, { stage: 'recompile' }],
    inputs: ['reproducer', 'codeObjects', 'capture', 'variant', 'device'],
    example: { rtol: 1e-5, atol: 1e-6 },
  },
});
