import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openApp, readKernloopJson } from '../app/app';
import { isDeclared } from '../app/command-app';
import type { SlurmRunner } from '../app/runner-json';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import type { Stage } from '../stage/stage';
import { KernloopError } from '../support/error';
import { kernloopFile } from '../support/project-file-names';
import type { ReadOnce } from '../support/read-once';
import { findWorkspaceRoot } from '../support/workspace-root';
import { runnerVariable } from './environment';
import { giveUpOrphans, type JobRequest } from './exchange';
import type { Job } from './job';

type Values = Readonly<Record<string, unknown>>;

/** Runner for a stage that needs the device, from kernloop.json of the app; undefined means this machine. */
export interface Elsewhere {
  runner: SlurmRunner;
  workspaceRoot: string;
  name: string;
}

export function elsewhere(
  stage: Pick<Stage, 'onDevice' | 'isWithoutDevice' | 'project'>,
  values: Values,
  deps: Pick<Deps, 'env' | 'opened'>,
): Elsewhere | undefined {
  if (stage.onDevice !== true) return undefined;
  const folder = values[stage.project === 'app' ? 'app' : 'reproducer'];
  // Jobs of dead submitters must not overwrite this stage's results, wherever it runs.
  giveUpOrphans(findWorkspaceRoot(resolve(typeof folder === 'string' ? folder : '.')));
  if (isLocal(deps) || stage.isWithoutDevice?.(values) === true) return undefined;
  if (stage.project === 'app') return isDeclared(placeOf(values)) ? ofApp(folder, deps.opened) : undefined;
  return stage.project === 'reproducer' ? ofReproducer(folder, deps.opened) : undefined;
}

function placeOf({ app, command }: Values): Parameters<typeof isDeclared>[0] {
  return { app: typeof app === 'string' ? app : '.', command: Array.isArray(command) ? command.map(String) : [] };
}

export function isLocal({ env }: Pick<Deps, 'env'>): boolean {
  const named = env[runnerVariable];
  if (named === undefined || named === '' || named === 'local') return named === 'local';
  throw new KernloopError(
    'USAGE',
    `${runnerVariable} is "${named}"`,
    'set it to "local", or leave it out: kernloop.json says where tasks run',
  );
}

export function ofApp(folder: unknown, opened?: ReadOnce): Elsewhere | undefined {
  const { config, workspaceRoot } = openApp(typeof folder === 'string' ? folder : '.', opened);
  const runner = config.runner?.slurm;
  return runner && { runner, workspaceRoot, name: config.name };
}

/** A reproducer that was moved away from its app runs here. */
function ofReproducer(folder: unknown, opened: ReadOnce | undefined): Elsewhere | undefined {
  const { config, workspaceRoot } = openReproducer(typeof folder === 'string' ? folder : '.', opened);
  const file = join(workspaceRoot, config.app.root, kernloopFile);
  if (!existsSync(file)) return undefined;
  const runner = readKernloopJson(file, opened).runner?.slurm;
  return runner && { runner, workspaceRoot, name: config.name };
}

/** Job that does the work of a stage. */
export function jobOf(
  { runner, workspaceRoot, name }: Elsewhere,
  { name: stage, project, paths }: Pick<Stage, 'name' | 'project' | 'paths'>,
  request: Pick<JobRequest, 'work'> & { options: Values; more?: unknown; env?: Record<string, string> },
  deps: Deps,
): Job {
  const named = paths.map((option) => request.options[option]).filter((value) => typeof value === 'string');
  const stores = [deps.env['KERNLOOP_STORE'], join(workspaceRoot, '.kernloop', 'store')].filter(
    (path) => path !== undefined,
  );
  return {
    runner,
    label: `${stage}-${name}`,
    workspaceRoot,
    // Paths that do not exist here are created by the job.
    paths: [workspaceRoot, deps.native.root, ...[...named, ...stores].map((path) => resolve(path)).filter(existsSync)],
    request: { stage, cwd: process.cwd(), env: {}, ...request, options: { ...request.options } },
    input: project === 'app' ? deps.input : undefined,
  };
}
