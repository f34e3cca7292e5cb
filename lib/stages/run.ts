import { resolve } from 'node:path';
import type { CaptureOutcome } from '../capture/capture';
import type { CaptureOptions } from '../capture/options';
import type { Selection } from '../capture/selection';
import type { Deps } from '../deps/deps';
import { recompileEdited } from '../recompile/stage';
import { runArray } from '../slurm/array';
import { devicePool } from '../slurm/command';
import { errorOf } from '../slurm/exchange';
import { runJob } from '../slurm/job';
import { elsewhere, jobOf, type Elsewhere } from '../slurm/runner';
import type { Stage } from '../stage/stage';
import { kernelFile } from '../support/project-file-names';
import { findUpward } from '../support/workspace-root';
import { warnOfKilledApply } from '../tune/applying';
import { configure } from './configure';
import { stages } from './registry';

type Values = Readonly<Record<string, unknown>>;

/** Runs a stage here or in a job, as kernloop.json says. */
export async function runStage<R>(stage: Stage, values: Values, deps: Deps): Promise<R> {
  tellOfKilledApply(stage, values, deps);
  // Other stages leave the last verdict: whoever shows it says that the code has changed since.
  await buildEdited(values, stage.name === 'validate', deps);
  const there = elsewhere(stage, values, deps);
  if (!there) return (await stage.run(values, deps)) as R;
  if (stage.name === 'tune') return (await tuneInJobs(there, stage, values, deps)) as R;
  return (await inJob(there, stage, { work: 'stage', options: values }, deps)) as R;
}

/** The same for a task that does less than its verb. */
export async function runTask(stage: Stage, values: Values, deps: Deps): Promise<boolean> {
  const { task } = stage;
  if (!task?.run) throw new Error(`${stage.name} has no task of its own`);
  tellOfKilledApply(stage, values, deps);
  const there = task.runsHere === true ? undefined : elsewhere(stage, values, deps);
  if (!there) return await task.run(values, deps);
  return (await inJob(there, stage, { work: 'task', options: values }, deps)) === true;
}

/** Builds what is to be replayed here, where the compiler is, also if a job replays it. `forgets` as in recompileEdited. */
export async function buildEdited(
  { recompile, reproducer, variant }: Values,
  forgets: boolean,
  deps: Deps,
): Promise<void> {
  if (recompile !== true || variant !== undefined) return;
  await recompileEdited(configure(stages.recompile, { reproducer }, deps.env, deps.opened).values, forgets, deps);
}

/** Warns that a killed `tune` left changes. `tune` reverts them by itself; other stages work on them. */
function tellOfKilledApply({ name, project, projectless = [] }: Stage, values: Values, deps: Deps): void {
  if (project !== 'reproducer' || name === 'tune' || projectless.some((option) => values[option] !== undefined)) return;
  const folder = values['reproducer'];
  const root = findUpward(resolve(typeof folder === 'string' ? folder : '.'), kernelFile);
  if (root !== undefined) warnOfKilledApply(root, deps);
}

/** Captures from one run of an app. */
export async function runCaptures(
  options: CaptureOptions,
  selections: readonly Selection[],
  deps: Deps,
  here: () => Promise<CaptureOutcome>,
): Promise<CaptureOutcome> {
  const stage: Stage = stages.capture;
  const there = elsewhere(stage, options, deps);
  if (!there) return await here();
  const outcome = await inJob(there, stage, { work: 'captures', options, more: selections }, deps);
  const { failures, ...rest } = outcome as CaptureOutcome;
  return {
    ...rest,
    failures: failures.map(({ error, ...failure }) => ({ ...failure, error: errorOf(plainOf(error)) })),
  };
}

const plainOf = (error: unknown) => error as Parameters<typeof errorOf>[0];

type Asked = Parameters<typeof jobOf>[2];

function inJob(there: Elsewhere, stage: Stage, asked: Asked, deps: Deps): Promise<unknown> {
  return runJob(jobOf(there, stage, asked, deps), deps);
}

/**
 * Judges candidates in a job array, each in one task, and stores the verdicts beside the reproducer; one more job finds
 * the best.
 */
async function tuneInJobs(there: Elsewhere, stage: Stage, values: Values, deps: Deps): Promise<unknown> {
  const count = there.runner.tuneJobs;
  const env = { KERNLOOP_DEVICE_POOL: devicePool(there.runner) };
  const job = jobOf(there, stage, { work: 'tune-share', options: values, env }, deps);
  const requests = Array.from({ length: count }, (_, index) => ({ ...job.request, more: { index, count } }));
  const judged = ((await runArray(job, requests, deps)) as string[][]).flat();
  const rest = { work: 'tune-rest', options: { ...values, fresh: false }, more: judged, env };
  return await inJob(there, stage, rest, deps);
}
