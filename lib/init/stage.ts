import { defineStage } from '../stage/stage';
import { initOptionsSchema } from './options';
import { initResultSchema } from './result';

const code = () => require('./init') as typeof import('./init');

export const stage = defineStage({
  name: 'init',
  summary: 'Declare a program in kernloop.json: how it is built and run, and which of its kernels matter.',
  options: initOptionsSchema,
  result: initResultSchema,
  project: 'none',
  positional: 'app',
  trailing: 'command',
  paths: ['app'],
  exitCodes: { pass: 'The folder has a kernloop.json.' },
  run: (options, deps) => code().init(options, deps),
  exitCode: () => 0,
});
