import { readFileSync } from 'node:fs';
import { defaultDeps } from '../deps/deps';
import { runnerVariable } from '../slurm/environment';
import { answerFile, jobRequestSchema, requestFile, throwUnlessAsked, type JobAnswer } from '../slurm/exchange';
import { asKernloopError, isBug } from '../support/error';
import { writeJson } from '../support/files';
import { unlessGivenUp } from '../support/given-up';
import { inheritedInput } from '../support/stdin';
import { workOf } from './works';

/** Exit code of work that was stopped: the submitter asks Slurm for the reason. */
const stoppedExit = 75;

/**
 * Runs on the node: does the work requested in the folder and leaves the answer there. Returns the exit code of the
 * job.
 */
export async function doJob(folder: string): Promise<number> {
  const task = Number(process.env['SLURM_ARRAY_TASK_ID'] ?? 0);
  const request = jobRequestSchema.parse(JSON.parse(readFileSync(requestFile(folder, task), 'utf8')));
  process.chdir(request.cwd);
  unlessGivenUp(() => throwUnlessAsked(folder, task));
  Object.assign(process.env, request.env, { [runnerVariable]: 'local' });
  const answer = await workOf(request, defaultDeps({ input: inheritedInput() })).then(
    (value): JobAnswer => ({ value: value ?? null }),
    (error: unknown): JobAnswer | undefined => {
      if (isBug(error)) return { bug: error instanceof Error ? (error.stack ?? '') : String(error) };
      const known = asKernloopError(error);
      return known.code === 'INTERRUPTED' ? undefined : { error: known.toJSON() };
    },
  );
  if (answer === undefined) return stoppedExit;
  writeJson(answerFile(folder, task), answer);
  return 0;
}
