import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { isErrorCode } from '../support/error-codes';
import { writeJson } from '../support/files';
import { removeDeadFolders } from '../support/leftovers';

/** What a job is asked to do: see lib/stages/works.ts. */
export const jobRequestSchema = z.strictObject({
  work: z.string(),
  stage: z.string(),
  cwd: z.string(),
  options: z.record(z.string(), z.unknown()),
  more: z.unknown().optional(),
  /** Variables that hold in the job alone. */
  env: z.record(z.string(), z.string()),
});

export type JobRequest = z.output<typeof jobRequestSchema>;

const answerSchema = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string() }) }),
  /** A bug, with its stack. */
  z.strictObject({ bug: z.string() }),
]);

export type JobAnswer = z.output<typeof answerSchema>;

/** A file that the node has written may be seen here later, where file attributes are cached (NFS). */
const lateMs = 60_000;
const pauseMs = 200;

const folderStart = 'job-';
const jobsIn = (workspaceRoot: string): string => join(workspaceRoot, '.kernloop', 'slurm');

/** Jobs whose submitter was killed on this machine are given up by whatever runs next. */
export function giveUpOrphans(workspaceRoot: string): void {
  removeDeadFolders(jobsIn(workspaceRoot), folderStart);
}

/**
 * A folder that the machine that submits and the node share: requests go one way, answers the other. As long as it is there somebody waits
 * for the answer.
 */
export class Exchange {
  readonly folder: string;
  /** Of the job; no other one has it. */
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

  /** What the job has answered; undefined where there is none. `ended`: it is known that there has to be one. */
  async answer(ended: boolean, task = 0): Promise<JobAnswer | undefined> {
    const path = answerFile(this.folder, task);
    for (const end = Date.now() + (ended ? lateMs : 0); ; await sleep(pauseMs)) {
      // Reading the folder makes a client of NFS ask the server.
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
 * On the node: a job that a broken network hid, or that could not be stopped, may go on behind the next try of it and behind later runs.
 * Whoever submitted it has removed its request by then, and it must not write what they wrote.
 */
export function throwUnlessAsked(folder: string, task: number): void {
  try {
    // A client of NFS asks the server when a file is opened, and not when it is looked for.
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

/** As if it had been done here: the value, or the error. */
export function valueOf(answer: JobAnswer): unknown {
  if ('value' in answer) return answer.value;
  if ('error' in answer) throw errorOf(answer.error);
  throw new Error(`in the job: ${answer.bug}`);
}

export function errorOf({ code, message, hint }: { code: string; message: string; hint: string }): KernloopError {
  if (isErrorCode(code)) return new KernloopError(code, message, hint);
  return new KernloopError('INTERNAL_ERROR', `${code}: ${message}`, hint);
}
