import { defineStage } from '../stage/stage';
import { declareOptionsSchema } from './options';
import { declareResultSchema } from './result';

const code = () => require('./declare') as typeof import('./declare');

export const stage = defineStage({
  name: 'declare',
  summary: 'Declare a kernel of an app in kernloop.json, so that it can be extracted.',
  options: declareOptionsSchema,
  result: declareResultSchema,
  project: 'app',
  positional: 'name',
  paths: ['app'],
  exitCodes: { pass: 'kernloop.json declares the kernel.' },
  run: (options, deps) => Promise.resolve(code().declare(options, deps)),
  exitCode: () => 0,
});
