import { slurmRunnerSchema } from '../app/runner-json';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import type { NativePaths } from '../native/native-paths';
import { KernloopError } from '../support/error';
import type { ErrorCode } from '../support/error-codes';
import { hiddenExit, JobMarks } from './command';
import { endError, type Ended } from './end';
import { retrying } from './job';

const runner = slurmRunnerSchema.parse({ retries: 2 });

function ended(state: string | null | undefined, reason = 'None', more: Partial<Ended> = {}): Ended {
  const marks = new JobMarks();
  marks.take('kernloop-job 7 d1');
  const facts = state === null || state === undefined ? state : { id: '7', state, reason, nodes: 'd1' };
  return { exitCode: 1, text: '', marks, facts, nodeIsDown: false, ...more };
}

const unseen = { marks: new JobMarks() };

describe('the end of a job without an answer', () => {
  it.each<[string, Ended, ErrorCode]>([
    ['preempted', ended('PREEMPTED'), 'SLURM_PREEMPTED'],
    ['its time is over', ended('TIMEOUT', 'TimeLimit'), 'SLURM_TIME_LIMIT'],
    ['its time is over, and it still ends', ended('COMPLETING', 'TimeLimit'), 'SLURM_TIME_LIMIT'],
    ['the node is lost', ended('NODE_FAIL'), 'SLURM_NODE_FAILED'],
    ['the node is lost while the job runs', ended('RUNNING', 'None', { nodeIsDown: true }), 'SLURM_NODE_FAILED'],
    ['its processes on the node were killed', ended('COMPLETING', 'JobLaunchFailure'), 'SLURM_NODE_FAILED'],
    ['cancelled', ended('CANCELLED'), 'SLURM_CANCELLED'],
    ['cancelled, and its node is down', ended('CANCELLED', 'None', { nodeIsDown: true }), 'SLURM_CANCELLED'],
    ['too much memory', ended('OUT_OF_MEMORY'), 'SLURM_MEMORY'],
    ['back in the queue', ended('PENDING', 'BeginTime'), 'SLURM_REQUEUED'],
    ['forgotten after it began', ended(undefined), 'SLURM_VANISHED'],
    ['never there', ended(undefined, '', { ...unseen, text: 'srun: error: Invalid account' }), 'SLURM_REJECTED'],
    [
      'no controller to take it',
      ended(undefined, '', { ...unseen, text: 'srun: error: Unable to contact slurm controller' }),
      'SLURM_UNREACHABLE',
    ],
    ['no controller to ask', ended(null), 'SLURM_UNREACHABLE'],
    ['a program that crashed', ended('FAILED', 'NonZeroExitCode'), 'SLURM_JOB_FAILED'],
  ])('%s', (_, end, code) => {
    expect(endError(end, runner).code).toBe(code);
  });

  it('names the paths that the node does not see, and nothing else ends with that', () => {
    const { marks } = ended('FAILED');
    expect(marks.take('kernloop-not-visible /data/a b')).toBe(true);
    const error = endError({ ...ended('FAILED', 'NonZeroExitCode'), marks, exitCode: hiddenExit }, runner);
    expect([error.code, error.what]).toEqual(['SLURM_PATH_HIDDEN', expect.stringContaining('/data/a b')]);
    expect(endError(ended('FAILED', 'None', { exitCode: hiddenExit }), runner).code).toBe('SLURM_JOB_FAILED');
  });
});

describe('a lost job', () => {
  const ending = (code: ErrorCode): { tried: () => number; work: () => Promise<never> } => {
    let count = 0;
    const work = (): Promise<never> => {
      count += 1;
      return Promise.reject(new KernloopError(code, 'it', ''));
    };
    return { tried: () => count, work };
  };

  it.each<[ErrorCode, number]>([
    ['SLURM_NODE_FAILED', 3],
    ['SLURM_VANISHED', 3],
    ['SLURM_TIME_LIMIT', 1],
    ['SLURM_CANCELLED', 1],
    ['SLURM_UNREACHABLE', 1],
    ['DEVICE_FAULT', 1],
  ])('%s: is submitted %d times', async (code, times) => {
    const deps = fakeDeps({}, {} as NativePaths);
    const { tried, work } = ending(code);
    expect((await failure(retrying(runner, deps, work))).code).toBe(code);
    expect([tried(), deps.said.warn.length]).toEqual([times, times - 1]);
  });
});
