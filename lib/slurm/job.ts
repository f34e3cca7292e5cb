import { join } from 'node:path';
import type { SlurmRunner } from '../app/runner-json';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import type { RunResult } from '../support/exec';
import { throwIfInterrupted } from '../support/interrupted';
import { LineSplitter } from '../support/lines';
import type { ProgramInput } from '../support/stdin';
import { packageRoot } from '../support/version';
import { isUnfinished, SlurmClient, type JobFacts } from './client';
import { JobMarks, placement, wrapped, wrapper } from './command';
import { endError, mayRetry } from './end';
import { clientEnvironment, exportedNames } from './environment';
import { Exchange, valueOf, type JobRequest } from './exchange';

export interface Job {
  runner: SlurmRunner;
  /** Label of the task in the queue, for people. */
  label: string;
  workspaceRoot: string;
  /** Paths that the node has to see besides Node, Kernloop and the request itself. */
  paths: readonly string[];
  request: JobRequest;
  /** Stdin of the app. */
  input?: ProgramInput | undefined;
}

/** Time for a cancelled job to end. */
export const cancelLimitMs = 120_000;
/** Time for the controller to report how an ended job ended. */
const settleMs = 30_000;
const pauseMs = 500;
const lookAgainMs = 1000;

/** Does the work of a request in a job and returns its value. Lost jobs are submitted again. */
export async function runJob(job: Job, deps: Deps): Promise<unknown> {
  return await retrying(job.runner, deps, () => attempt(job, deps));
}

export async function retrying<T>({ retries }: SlurmRunner, deps: Deps, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      throwIfInterrupted(deps.signal);
      if (tried > retries || !mayRetry(error) || !(error instanceof KernloopError)) throw error;
      deps.report.warn(`${error.what} [${error.code}]; submitting it again (${tried} of ${retries})`);
    }
  }
}

/** Command that runs on the node. */
export const jobCommand = (folder: string): string[] => [
  process.execPath,
  join(packageRoot, 'bin', 'kernloop.js'),
  '--slurm-job',
  folder,
];

export const visiblePaths = ({ paths, request }: Job, folder: string): string[] => [
  ...new Set([process.execPath, packageRoot, request.cwd, folder, ...paths]),
];

/** Arguments for both srun and sbatch. */
export function submission({ runner }: Job, name: string, deps: Pick<Deps, 'env'>): string[] {
  const names = exportedNames(deps.env, runner.export);
  return [
    `--job-name=${name}`,
    '--nodes=1',
    '--ntasks=1',
    // The wrapper changes to the requested folder; every node has `/`.
    '--chdir=/',
    `--export=${names.length > 0 ? names.join(',') : 'NONE'}`,
    ...placement(runner),
  ];
}

async function attempt(job: Job, deps: Deps): Promise<unknown> {
  const exchange = new Exchange(job.workspaceRoot, job.label);
  const client = new SlurmClient(deps.env);
  let ended: RunResult | undefined;
  try {
    exchange.ask(job.request);
    const marks = new JobMarks();
    const wait = new QueueWait(job.runner, exchange.name, client, () => marks.id !== undefined);
    try {
      ended = await srun(job, exchange, marks, deps);
    } finally {
      await wait.end();
    }
    throwIfInterrupted(deps.signal);
    if (ended.startError !== null) throw missing('srun', ended);
    if (wait.error) throw wait.error;
    if (ended.exitCode === 0) {
      const answer = await exchange.answer(true);
      if (answer) return valueOf(answer);
    }
    const error = await whyNoAnswer(ended, marks, exchange.name, job.runner, client);
    // A job that is given up or repeated must not continue.
    if (ended.exitCode !== 0) await client.cancel(exchange.name, canEnd(error) ? cancelLimitMs : 0);
    throw error;
  } finally {
    if (deps.signal.aborted && !(await client.cancel(exchange.name, cancelLimitMs)))
      deps.report.warn(`the job ${exchange.name} may still run: \`scancel --name=${exchange.name}\``);
    exchange.remove();
  }
}

/** Whether the job can end soon: a job on a lost node ends when Slurm gives the node up, which may take minutes. */
const canEnd = ({ code }: KernloopError): boolean => !['SLURM_UNREACHABLE', 'SLURM_NODE_FAILED'].includes(code);

function srun(job: Job, exchange: Exchange, marks: JobMarks, deps: Deps): Promise<RunResult> {
  const input = job.input?.kind === 'terminal' ? undefined : job.input;
  const command = wrapped(visiblePaths(job, exchange.folder), jobCommand(exchange.folder));
  const args = [...submission(job, exchange.name, deps), ...(input ? [] : ['--input=none'])];
  const stderr = new LineSplitter((line) => {
    if (!marks.take(line)) deps.report.output(`${line}\n`);
  });
  const running = deps.run('srun', [...args, '/bin/sh', '-c', wrapper, 'kernloop', ...command], {
    env: clientEnvironment(deps.env),
    // srun passes SIGTERM on, so the job ends with this process.
    parentDeathSignal: 'SIGTERM',
    ...(input ? { input } : {}),
    onStdoutLine: (line) => deps.report.result(line),
    onStderr: (chunk) => stderr.push(chunk),
  });
  return running.result.finally(() => stderr.end());
}

/** Cancels a job that exceeds its time in the queue. */
export class QueueWait {
  error: KernloopError | undefined;
  private timer: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();
  private hasEnded = false;

  constructor(
    private readonly runner: SlurmRunner,
    private readonly name: string,
    private readonly client: SlurmClient,
    private readonly hasStarted: () => boolean,
  ) {
    this.timer = this.lookAfter(runner.queueMinutes * 60_000);
  }

  private lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.looking = this.look();
    }, ms);
  }

  /** After this, nothing is cancelled. */
  async end(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    if (this.hasStarted()) return;
    const found = await this.client.find(this.name);
    // Jobs of earlier tries have ended.
    const open = found?.filter(isUnfinished) ?? [];
    const [first] = open;
    // The controller does not know the job yet, or does not answer.
    if (first === undefined) {
      if (!this.hasEnded) this.timer = this.lookAfter(lookAgainMs);
      return;
    }
    if (open.some(({ state }) => state !== 'PENDING')) return;
    this.error = new KernloopError(
      'SLURM_QUEUE_WAIT',
      `job ${first.id} has waited ${this.runner.queueMinutes} min in the queue (${first.reason}), and was cancelled`,
      'see `squeue --start`; give "queueMinutes" of runner.slurm more, or another partition',
    );
    await this.client.cancel(this.name, cancelLimitMs);
  }
}

async function whyNoAnswer(
  ended: RunResult,
  marks: JobMarks,
  name: string,
  runner: SlurmRunner,
  client: SlurmClient,
): Promise<KernloopError> {
  const facts = await settledFacts(name, marks, client);
  const node = marks.node ?? facts?.nodes;
  const nodeIsDown = node ? await client.isDown(node) : false;
  if (ended.exitCode === 0) {
    return new KernloopError(
      'SLURM_NO_RESULT',
      `job ${marks.id ?? name} ended well, and its answer is not in the workspace`,
      'put the workspace on a file system that this machine and the node share',
    );
  }
  return endError({ exitCode: ended.exitCode, text: ended.stderrTail, marks, facts, nodeIsDown }, runner);
}

/** Facts after the controller knows how the job ended, or its latest answer at the time limit. */
async function settledFacts(name: string, marks: JobMarks, client: SlurmClient): Promise<JobFacts | null | undefined> {
  let facts: JobFacts | null | undefined;
  for (const end = Date.now() + settleMs; ; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
    const found = await client.find(name);
    facts = found === null ? null : found[0];
    const isKnown = facts && (!isUnfinished(facts) || facts.reason === 'JobLaunchFailure' || facts.state === 'PENDING');
    if (isKnown || facts === undefined || Date.now() >= end) break;
  }
  if (facts !== undefined || marks.id === undefined) return facts;
  return (await client.accounted(marks.id)) ?? undefined;
}

export const missing = (program: string, { startError }: RunResult): KernloopError =>
  new KernloopError(
    'SLURM_MISSING',
    `${program} cannot be started (${startError ?? ''}): kernloop.json sends tasks to Slurm`,
    'run it on a machine that submits jobs (apt-get install slurm-client), or here with KERNLOOP_RUNNER=local',
  );
