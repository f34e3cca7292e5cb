import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';
import { writeJson } from '../support/files';
import { removeDeadFolders } from '../support/leftovers';

/** Work requested from a job; lib/stages/works.ts lists the kinds. */
export const jobRequestSchema = z.strictObject({
  work: z.string(),
  stage: z.string(),
  cwd: z.string(),
  options: z.record(z.string(), z.unknown()),
  more: z.unknown().optional(),
  /** Variables for the job alone. */
  env: z.record(z.string(), z.string()),
});

export type JobRequest = z.output<typeof jobRequestSchema>;

const answerSchema = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string() }) }),
  /** An internal error with its stack. */
  z.strictObject({ bug: z.string() }),
]);

export type JobAnswer = z.output<typeof answerSchema>;

/** Time until a file that the node wrote is visible here if file attributes are cached (NFS). */
const lateMs = 60_000;
const pauseMs = 200;

const folderStart = 'job-';
const jobsIn = (workspaceRoot: string): string => join(workspaceRoot, '.kernloop', 'slurm');

/** Gives up jobs of submitters that were killed on this machine; every later run does this first. */
export function giveUpOrphans(workspaceRoot: string): void {
  removeDeadFolders(jobsIn(workspaceRoot), folderStart);
}

/**
 * A folder shared by the submitting machine and the node: requests go one way, answers the other. While it exists,
 * somebody waits for the answer.
 */
export class Exchange {
  readonly folder: string;
  /** Unique name of the job. */
  readonly name: string;

  constructor(workspaceRoot: string, label: string) {
    const jobs = jobsIn(workspaceRoot);
    mkdirSync(jobs, { recursive: true });
    const start = `${folderStart}${hostname()}-${process.pid}-`;
    this.folder = mkdtempSync(join(jobs, start));
    const unique = `${basename(this.folder).slice(start.length)}-${process.pid}`;
    this.name = `kernloop-${label.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 60)}-${unique}`;
  }

  ask(request: JobRequest, task = 0): void {
    rmSync(answerFile(this.folder, task), { force: true });
    writeJson(requestFile(this.folder, task), request);
  }

  /** Answer of the job; undefined if there is none. `ended`: the job has ended, so there must be one. */
  async answer(ended: boolean, task = 0): Promise<JobAnswer | undefined> {
    const path = answerFile(this.folder, task);
    for (const end = Date.now() + (ended ? lateMs : 0); ; await sleep(pauseMs)) {
      // Reading the folder makes an NFS client ask the server.
      readdirSync(this.folder);
      if (existsSync(path)) return answerSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      if (Date.now() >= end) return undefined;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Runs on the node: a job hidden by a broken network, or one that could not be stopped, may run beside its retry and
 * later runs. Its submitter has removed the request by then, and the job must not overwrite their results.
 */
export function throwUnlessAsked(folder: string, task: number): void {
  try {
    // An NFS client asks the server when a file is opened, but not when its existence is tested.
    readFileSync(requestFile(folder, task));
  } catch {
    throw new KernloopError(
      'INTERRUPTED',
      `whoever submitted this job has given it up: ${folder} is gone`,
      'its result is not written; that of the run that followed holds',
    );
  }
}

export const requestFile = (folder: string, task: number): string => join(folder, `request-${task}.json`);
export const answerFile = (folder: string, task: number): string => join(folder, `answer-${task}.json`);

/** Result of the answer as if the work had been done here: the value, or the error. */
export function valueOf(answer: JobAnswer): unknown {
  if ('value' in answer) return answer.value;
  if ('error' in answer) throw errorOf(answer.error);
  throw new Error(`in the job: ${answer.bug}`);
}

export function errorOf({ code, message, hint }: { code: string; message: string; hint: string }): KernloopError {
  if (isErrorCode(code)) return new KernloopError(code, message, hint);
  return new KernloopError('INTERNAL_ERROR', `${code}: ${message}`, hint);
}
