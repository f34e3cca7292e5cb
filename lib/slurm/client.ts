import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../support/environment';
import { runProcess, type ProcessRunner, type RunResult } from '../support/exec';
import { clientEnvironment } from './environment';

/** Facts of the controller about a job, or about one task of an array. */
export interface JobFacts {
  id: string;
  /** State in squeue's notation: "RUNNING", "NODE_FAIL". */
  state: string;
  reason: string;
  nodes: string;
}

const askLimitMs = 60_000;
const pauseMs = 250;

/** States in which a job has not ended; in COMPLETING its processes may still run. */
const unfinished = [
  'PENDING',
  'CONFIGURING',
  'RUNNING',
  'SUSPENDED',
  'COMPLETING',
  'STOPPED',
  'SIGNALING',
  'STAGE_OUT',
  'RESIZING',
];
export const isUnfinished = ({ state }: JobFacts): boolean => unfinished.includes(state);

/**
 * squeue, scancel, sinfo and sacct. They do not run through Deps, because they are also needed after Kernloop was
 * interrupted.
 */
export class SlurmClient {
  constructor(
    private readonly env: Environment,
    private readonly run: ProcessRunner = runProcess,
  ) {}

  /**
   * Jobs with that name, array tasks one by one; null if the controller does not answer. It knows a job for MinJobAge
   * after its end.
   */
  async find(name: string): Promise<JobFacts[] | null> {
    const args = ['--noheader', '--array', '--states=all', `--name=${name}`, '--format=%i|%T|%r|%N'];
    const ended = await this.ask('squeue', args);
    if (ended.exitCode !== 0) return null;
    return ended.stdoutTail.split('\n').flatMap((line) => {
      const [id, state, reason = '', nodes = ''] = line.trim().split('|');
      return id && state ? [{ id, state, reason, nodes }] : [];
    });
  }

  /** Facts from the accounting, if the cluster has one; it knows jobs that the controller has forgotten. */
  async accounted(id: string): Promise<JobFacts | null> {
    const ended = await this.ask('sacct', [
      '--noheader',
      '--parsable2',
      '--allocations',
      `--jobs=${id}`,
      '--format=JobID,State,NodeList',
    ]);
    const [found, state, nodes = ''] =
      ended.exitCode === 0 ? (ended.stdoutTail.split('\n')[0] ?? '').trim().split('|') : [];
    // State with more words: "CANCELLED by 1000"
    return found && state ? { id: found, state: state.split(' ')[0] ?? state, reason: '', nodes } : null;
  }

  /** Whether the controller has lost the node, as in "down*" or "drained". */
  async isDown(node: string): Promise<boolean> {
    const ended = await this.ask('sinfo', ['--noheader', `--nodes=${node}`, '--format=%T']);
    return ended.exitCode === 0 && /^(down|fail|unknown|\S+\*)/m.test(ended.stdoutTail.trim());
  }

  /** Cancels jobs with that name and returns once none runs; false if that is not known within the limit. */
  async cancel(name: string, limitMs: number): Promise<boolean> {
    for (const end = Date.now() + limitMs; ; await sleep(pauseMs)) {
      await this.ask('scancel', [`--name=${name}`]);
      const found = await this.find(name);
      if (found !== null && !found.some(isUnfinished)) return true;
      if (Date.now() >= end) return false;
    }
  }

  ask(program: string, args: readonly string[]): Promise<RunResult> {
    return this.run(program, args, { env: clientEnvironment(this.env), timeoutMs: askLimitMs }).result;
  }
}
