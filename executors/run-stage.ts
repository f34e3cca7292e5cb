import { isAbsolute, join } from 'node:path';
import { configure } from '../lib/stages/configure';
import { stages, type Stage, type StageName } from '../lib/stages/registry';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import { KernloopError } from '../lib/support/error';
import type { OptionsSchema } from '../lib/support/options';
import { refuseUntracked, type TaskContext } from './tracked';

/** Options that name a folder or file; in a target they are relative to the workspace. */
const paths = ['app', 'reproducer', 'output', 'store', 'dump'];

export type TaskOptions = Readonly<Record<string, unknown>>;

export function absoluteOptions(options: TaskOptions, workspaceRoot: string): TaskOptions {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      paths.includes(name) && typeof value === 'string' && !isAbsolute(value) ? join(workspaceRoot, value) : value,
    ]),
  );
}

/** Runs a stage as an Nx task: it succeeds or fails, and a failure says what the command line would say. */
export async function runStage(
  name: StageName,
  options: TaskOptions,
  context: TaskContext,
  isDone: (values: Readonly<Record<string, unknown>>, deps: Deps) => boolean = () => false,
): Promise<{ success: boolean }> {
  const stage: Stage = stages[name];
  return run(stage, options, context, isDone);
}

async function run<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
  options: TaskOptions,
  context: TaskContext,
  isDone: (values: Readonly<Record<string, unknown>>, deps: Deps) => boolean,
): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    const deps = defaultDeps();
    const { values } = configure(stage, absoluteOptions(options, context.root), deps.env);
    refuseUntracked(stage.name, values, context, deps.env);
    if (isDone(values, deps)) return true;
    const result = await stage.run(values, deps);
    return stage.succeeds?.(result) ?? stage.exitCode(result) === 0;
  });
}

export async function reportingErrors(task: () => Promise<boolean>): Promise<{ success: boolean }> {
  try {
    return { success: await task() };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    process.stderr.write(`error: ${error.what} [${error.code}]\n${error.hint ? `  → ${error.hint}\n` : ''}`);
    return { success: false };
  }
}
