import { defineStage } from '../stage/stage';
import { generateOptionsSchema } from './options';
import { generateResultSchema } from './result';

const code = () => require('./generate') as typeof import('./generate');

export const stage = defineStage({
  name: 'generate',
  summary: 'Write the source and project files of a captured kernel into pristine/.',
  options: generateOptionsSchema,
  result: generateResultSchema,
  project: 'app',
  positional: 'kernel',
  paths: ['app'],
  writes: [{ path: '{reproducer}/pristine/', committed: true, source: true }],
  exitCodes: { pass: 'The files were written.' },
  run: (options, deps) => code().generate(options, deps),
  exitCode: () => 0,
  task: {
    targets: [{ name: 'generate', of: 'kernel' }],
    cache: true,
    after: [{ stage: 'capture' }],
    inputs: ['app', 'selection', 'pristine', 'capture', 'compileCommands', 'toolchain'],
  },
});
