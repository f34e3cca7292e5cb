import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../support/environment';
import { runProcess, type ProcessRunner, type RunResult } from '../support/exec';
import { clientEnvironment } from './environment';

/** What the controller knows of a job, or of one task of an array. */
export interface JobFacts {
  id: string;
  /** As squeue writes it: "RUNNING", "NODE_FAIL". */
  state: string;
  reason: string;
  nodes: string;
}

const askLimitMs = 60_000;
const pauseMs = 250;

/** States out of which a job may still come; in COMPLETING its processes may still run. */
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
 * squeue, scancel, sinfo and sacct. They are also needed once Kernloop was told to stop, so they are not started through Deps.
 */
export class SlurmClient {
  constructor(
    private readonly env: Environment,
    private readonly run: ProcessRunner = runProcess,
  ) {}

  /** Jobs of that name, tasks of an array one by one; null where the controller does not answer. A job is known for MinJobAge after its end. */
  async find(name: string): Promise<JobFacts[] | null> {
    const args = ['--noheader', '--array', '--states=all', `--name=${name}`, '--format=%i|%T|%r|%N'];
    const ended = await this.ask('squeue', args);
    if (ended.exitCode !== 0) return null;
    return ended.stdoutTail.split('\n').flatMap((line) => {
      const [id, state, reason = '', nodes = ''] = line.trim().split('|');
      return id && state ? [{ id, state, reason, nodes }] : [];
    });
  }

  /** From the accounting, where the cluster has one; it knows jobs that the controller has forgotten. */
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
    // "CANCELLED by 1000"
    return found && state ? { id: found, state: state.split(' ')[0] ?? state, reason: '', nodes } : null;
  }

  /** Whether the controller has lost the node: "down*", "drained". */
  async isDown(node: string): Promise<boolean> {
    const ended = await this.ask('sinfo', ['--noheader', `--nodes=${node}`, '--format=%T']);
    return ended.exitCode === 0 && /^(down|fail|unknown|\S+\*)/m.test(ended.stdoutTail.trim());
  }

  /** Returns once nothing of that name runs any more; false where that is not known in time. */
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
