import type { SlurmRunner } from '../app/runner-json';
import { KernloopError } from '../support/error';
import type { ErrorCode } from '../support/error-codes';
import { hiddenExit, type JobMarks } from './command';
import type { JobFacts } from './client';

/** Errors of jobs that were lost without a fault of their own: they may be submitted again. */
const retried: readonly ErrorCode[] = ['SLURM_NODE_FAILED', 'SLURM_PREEMPTED', 'SLURM_REQUEUED', 'SLURM_VANISHED'];
export const mayRetry = (error: unknown): boolean => error instanceof KernloopError && retried.includes(error.code);

/** A job that gave no answer. */
export interface Ended {
  exitCode: number | null;
  /** Messages of srun or sbatch, and the end of the job's output. */
  text: string;
  marks: JobMarks;
  /** Null if the controller does not answer; undefined if it knows no such job. */
  facts: JobFacts | null | undefined;
  nodeIsDown: boolean;
}

/** Reason why there is no answer; each has its own error code. */
export function endError(ended: Ended, runner: SlurmRunner): KernloopError {
  const { facts, marks, text } = ended;
  const job = `job ${facts?.id ?? marks.id ?? '(number not known)'}${nodeOf(ended)}`;
  if (ended.exitCode === hiddenExit && marks.hidden.length > 0) return hiddenError(marks);
  if (facts === null || (facts === undefined && marks.id === undefined && isUnreachable(text))) {
    return new KernloopError(
      'SLURM_UNREACHABLE',
      `the controller of Slurm does not answer, so what became of ${job} is not known${said(text)}`,
      'see `scontrol ping`; its result was not taken: look with `squeue --me` whether the job still runs, and run the task again',
    );
  }
  if (facts === undefined) return marks.id === undefined ? rejected(text) : vanished(job);
  return ofState(facts, job, ended, runner);
}

function ofState(
  facts: JobFacts,
  job: string,
  { nodeIsDown, text, exitCode }: Ended,
  runner: SlurmRunner,
): KernloopError {
  const { state, reason } = facts;
  const lost = ['JobLaunchFailure', 'NodeDown', 'NodeFail'].includes(reason) || nodeIsDown;
  if (state === 'PREEMPTED')
    return new KernloopError(
      'SLURM_PREEMPTED',
      `${job} was preempted`,
      'run it again, or with another partition or "qos": nothing was lost',
    );
  if (['TIMEOUT', 'DEADLINE'].includes(state) || reason === 'TimeLimit')
    return new KernloopError(
      'SLURM_TIME_LIMIT',
      `${job} ran into its time limit (${runner.time ?? 'that of the partition'})`,
      'give "time" of runner.slurm more, as far as the partition allows it (`sinfo --format="%P %l"`)',
    );
  if (['NODE_FAIL', 'BOOT_FAIL'].includes(state) || (lost && state !== 'CANCELLED'))
    return new KernloopError(
      'SLURM_NODE_FAILED',
      `${job} lost its node (${state}, ${reason})`,
      'see `sinfo --list-reasons`; nothing was lost: run it again',
    );
  if (state === 'OUT_OF_MEMORY')
    return new KernloopError(
      'SLURM_MEMORY',
      `${job} used more memory than it was given`,
      'ask for more: "extra": ["--mem=32G"] of runner.slurm',
    );
  if (['REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'SPECIAL_EXIT', 'PENDING'].includes(state))
    return new KernloopError(
      'SLURM_REQUEUED',
      `${job} was put back into the queue (${state}, ${reason})`,
      'run it again: it was cancelled, and nothing was lost',
    );
  if (['CANCELLED', 'REVOKED'].includes(state))
    return new KernloopError(
      'SLURM_CANCELLED',
      `${job} was cancelled, and not by this task`,
      'look who cancelled it (`sacct --format=JobID,State`); nothing was lost: run it again',
    );
  return new KernloopError(
    'SLURM_JOB_FAILED',
    `${job} ended with ${state} (${reason}), exit code ${exitCode ?? 'not known'}, and without an answer${said(text)}`,
    'read its output above; `kernloop doctor --app` checks whether jobs run there at all',
  );
}

const hiddenError = ({ hidden, node }: JobMarks): KernloopError =>
  new KernloopError(
    'SLURM_PATH_HIDDEN',
    `the node ${node ?? ''} does not see ${hidden.join(', ')}`,
    'workspace, store, Node and Kernloop have to lie under the same path on a file system that all nodes share',
  );

const rejected = (text: string): KernloopError =>
  new KernloopError(
    'SLURM_REJECTED',
    `Slurm did not take the job${said(text)}`,
    'compare "runner" of kernloop.json (partition, account, gres, time, extra) with what `sinfo` and `sacctmgr show assoc` say',
  );

const vanished = (job: string): KernloopError =>
  new KernloopError(
    'SLURM_VANISHED',
    `${job} is not known to Slurm any more, and it left no answer`,
    'run it again: nothing was taken from the job. Controllers forget jobs when they lose their state, and MinJobAge seconds after their end',
  );

const isUnreachable = (text: string): boolean =>
  /Unable to contact slurm controller|Socket timed out|Connection refused|Zero Bytes were transmitted/i.test(text);

const nodeOf = ({ facts, marks }: Ended): string => {
  const node = marks.node ?? facts?.nodes;
  return node ? ` on ${node}` : '';
};

/** Last lines of Slurm's messages. */
function said(text: string): string {
  const own = text.split('\n').filter((line) => /^(srun|sbatch|slurmstepd\S*): /.test(line));
  const lines = (own.length > 0 ? own : text.split('\n').filter((line) => line.trim() !== '')).slice(-4);
  return lines.length === 0 ? '' : `:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
