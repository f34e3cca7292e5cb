import { defineStage } from '../stage/stage';
import { traceGenOptionsSchema } from './options';
import { traceGenResultSchema } from './result';

const code = () => require('./trace-gen') as typeof import('./trace-gen');

export const stage = defineStage({
  name: 'trace-gen',
  verb: 'trace gen',
  summary: 'Generate code that reads the traces of a probe.toml, in TypeScript, Python or C.',
  options: traceGenOptionsSchema,
  result: traceGenResultSchema,
  project: 'none',
  positional: 'probe',
  paths: ['probe', 'output'],
  exitCodes: { pass: 'The file was written.' },
  run: (options, deps) => Promise.resolve(code().traceGen(options, deps)),
  exitCode: () => 0,
});
