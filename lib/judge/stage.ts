import { defineStage } from '../stage/stage';
import { judgeOptionsSchema } from './options';
import { judgeResultSchema } from './result';

const code = () => require('./run') as typeof import('./run');

export const stage = defineStage({
  name: 'judge',
  summary: 'Judge and score candidates for a kernel: sources that nobody trusts, many at a time.',
  options: judgeOptionsSchema,
  result: judgeResultSchema,
  project: 'none',
  positional: 'candidate',
  paths: ['candidate', 'reproducer', 'store', 'home', 'reports'],
  writes: [{ path: '{reproducer}/judged.json', committed: true }],
  exitCodes: {
    pass: 'Every candidate passes.',
    fail: 'A candidate is wrong, does not compile or cannot be launched.',
    vacuous: 'Nothing was compared that could tell right from wrong.',
    fault: 'The device faulted with a candidate, or it exceeded its limit.',
    environment: 'A candidate has no verdict, because the machine lacks something.',
  },
  run: (options, deps) => code().judge(options, deps),
  exitCode: (result) => code().exitCodeOf(result),
});
