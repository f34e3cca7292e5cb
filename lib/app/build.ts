import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd } from '../support/ndjson';
import type { Progress } from '../support/report';
import { howToGet } from '../toolchain/get-program';
import type { App } from './app';
import { missingProgram } from './missing-program';

/** Configures the app if an output is missing, then runs its build command, which is trusted to be incremental. */
export async function buildApp(app: App, deps: Deps): Promise<void> {
  const { build } = app.config;
  if (!build) return;
  const missing = build.outputs.some((output) => !existsSync(resolve(app.root, output)));
  if (build.configure && missing) {
    await runStep(app, 'configure', build.configure, deps);
    await runStep(app, 'build', build.command, deps);
    // CMake's Makefiles write their dependencies in the second build: from then on, a build without work writes
    // nothing.
  }
  await runStep(app, 'build', build.command, deps);
}

async function runStep(app: App, name: string, command: readonly string[], deps: Deps): Promise<void> {
  const [program = '', ...args] = command;
  deps.report.info(`${app.config.name}: ${name}: ${command.join(' ')}`);
  const output = (chunk: string): void => {
    deps.report.output(chunk);
    const now = buildProgress(chunk);
    if (now) deps.report.progress?.({ ...now, what: `${app.config.name}: built` });
  };
  const ended = await deps.run(program, args, {
    cwd: app.root,
    env: app.config.env,
    onStdout: output,
    onStderr: output,
  }).result;
  deps.report.progress?.(null);
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  const missing = missingProgram(command, ended);
  throw new KernloopError(
    'APP_BUILD_FAILED',
    `${app.config.name}: ${name}: ${describeEnd(command.join(' '), ended)}`,
    missing === undefined ? `run it by hand in ${app.root}` : howToGet(missing, { ...deps.env, ...app.config.env }),
  );
}

/** Progress that ninja (`[3/40]`) and CMake's Makefiles (`[ 12%]`) print. */
function buildProgress(chunk: string): Omit<Progress, 'what'> | undefined {
  const last = [...chunk.matchAll(/^\[(?:(\d+)\/(\d+)| *(\d+)%)\]/gm)].at(-1);
  if (!last) return undefined;
  const [, done, total, percent] = last;
  return percent === undefined
    ? { done: Number(done), total: Number(total), unit: 'steps' }
    : { done: Number(percent), total: 100, unit: '%' };
}
