import { isAbsolute, join } from 'node:path';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import type { Stage } from '../lib/stage/stage';
import { configure } from '../lib/stages/configure';
import { stages, type StageName } from '../lib/stages/registry';
import { runStage as runStageAnywhere, runTask } from '../lib/stages/run';
import { forSubject } from '../lib/stages/subject';
import { unknownVariables } from '../lib/stages/unknown-variables';
import { taskOptions } from '../lib/stages/task-options';
import { asKernloopError, errorText, isBug, KernloopError } from '../lib/support/error';
import { asTyped } from '../lib/support/typed-command';
import { environmentName, kebab, refuseFormerNames } from '../lib/support/option-variables';
import { ReadOnce } from '../lib/support/read-once';
import { refuseUntracked, type TaskContext } from './tracked';
import { watchInputs } from './unchanged';

export type TaskOptions = Readonly<Record<string, unknown>>;

/** Makes paths absolute: in a target, they are relative to the workspace. */
export function absoluteOptions(options: TaskOptions, paths: readonly string[], workspaceRoot: string): TaskOptions {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      paths.includes(name) && typeof value === 'string' && !isAbsolute(value) ? join(workspaceRoot, value) : value,
    ]),
  );
}

/** Runs a stage as an Nx task; a failure prints the message of the command line. */
export function runStage(name: StageName, options: TaskOptions, context: TaskContext): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    const deps = defaultDeps({ opened: new ReadOnce() });
    return run(forSubject(stages[name], options, deps.env), options, context, deps);
  });
}

async function run(stage: Stage, options: TaskOptions, context: TaskContext, deps: Deps): Promise<boolean> {
  for (const line of unknownVariables(deps.env)) deps.report.warn(line);
  const values = configureTask(stage, options, context, deps);
  const requireUnchanged = await watchInputs(stage, values, context, deps);
  const succeeds = await work(stage, values, deps);
  if (succeeds) requireUnchanged();
  return succeeds;
}

async function work(stage: Stage, values: Readonly<Record<string, unknown>>, deps: Deps): Promise<boolean> {
  const { task } = stage;
  if (deps.env['NX_SKIP_NX_CACHE'] !== 'true' && task?.isCurrent?.(values, deps)) return true;
  if (task?.run) return runTask(stage, values, deps);
  // The task recompile has run before; this one must not write outside of its outputs.
  const options = { ...stage.options.parse(values), recompile: false };
  const result = await runStageAnywhere(stage, options, deps);
  return task?.succeeds?.(result) ?? stage.exitCode(result) === 0;
}

/** Options in effect. Refuses options under which the task would differ from the one in the graph. */
export function configureTask(
  stage: Stage,
  options: TaskOptions,
  context: TaskContext,
  { env, opened }: Pick<Deps, 'env' | 'opened'>,
): Readonly<Record<string, unknown>> {
  const refused = Object.entries(stage.task?.refused ?? {});
  refuseFormerNames(
    stage.name,
    refused.map(([name]) => name),
    env,
  );
  for (const [name, why] of refused) {
    const variable = environmentName(stage.name, name);
    if (options[name] === undefined && !env[variable]) continue;
    throw new KernloopError(
      'USAGE',
      why,
      `run it without Nx: \`kernloop ${stage.name} --${kebab(name)}\`, without ${variable}`,
    );
  }
  const flags = absoluteOptions(options, stage.paths, context.root);
  const { values } = configure({ ...stage, options: taskOptions(stage) }, flags, env, opened);
  refuseUntracked(stage, values, context, { env, opened });
  return values;
}

export async function reportingErrors(task: () => Promise<boolean>): Promise<{ success: boolean }> {
  try {
    return { success: await task() };
  } catch (error) {
    if (isBug(error)) throw error;
    const known = asKernloopError(error);
    process.stderr.write(asTyped(errorText({ code: known.code, what: known.brief, hint: known.hint })));
    return { success: false };
  }
}
