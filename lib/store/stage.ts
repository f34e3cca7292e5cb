import { defineStage } from '../stage/stage';
import { storeOptionsSchema } from './options';
import { storeResultSchema } from './result';

const code = () => require('./maintain') as typeof import('./maintain');

export const stage = defineStage({
  name: 'store',
  summary: 'Verify the chunk store, clean it up, or say what it holds.',
  options: storeOptionsSchema,
  result: storeResultSchema,
  project: 'none',
  positional: 'action',
  paths: ['workspace', 'store', 'captureRoot'],
  exitCodes: { pass: 'Done. Nothing is wrong.', fail: 'Chunks are damaged or missing.' },
  run: (options, deps) => code().store(options, deps),
  exitCode: (result) => code().storeExitCode(result),
});
