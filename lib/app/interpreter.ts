import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { captureFile, readCapture } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { isExecutable, pathFolders, programsIn } from '../support/programs';
import type { Environment } from '../support/environment';
import type { App } from './app';

const python = /^python[\d.]*$/;

/**
 * Interpreter of the app's captures, for a command that names Python without a path: undefined unless it is that of a
 * virtual environment. `reason`: why it cannot run the app any more.
 */
interface Recorded {
  path: string;
  reason: string | null;
}

/**
 * The Python of the environment that the captures were made in, where no environment is active. Otherwise, leaving the
 * environment would make it another app, whose captures are taken again, with a Python that lacks its packages.
 */
export function keptInterpreter(app: App, env: Environment): string | undefined {
  const recorded = recordedInterpreter(app, env);
  return recorded?.reason === null ? recorded.path : undefined;
}

/** Says which Python runs the app if it is not the one on the PATH, or warns if its captures are of another one. */
export function sayInterpreter(app: App, { env, report }: Pick<Deps, 'env' | 'report'>): void {
  const recorded = recordedInterpreter(app, env);
  const [command = ''] = app.config.command;
  if (recorded === undefined) return;
  const { path, reason } = recorded;
  if (reason === null)
    report.info(
      `${command} is ${path}, in whose environment the captures were made; activate another environment, or write a path in "command", to run another Python`,
    );
  else
    report.warn(
      `${command} is not the Python of the captures (${path}, which ${reason}): activate the environment that has the app's packages`,
    );
}

function recordedInterpreter(app: App, env: Environment): Recorded | undefined {
  const [command = ''] = app.config.command;
  if (!python.test(command) || app.config.env['PATH'] !== undefined) return undefined;
  const [onPath] = programsIn(pathFolders(env['PATH'] ?? ''), command);
  if (onPath !== undefined && isInEnvironment(onPath)) return undefined;
  for (const { name } of app.config.kernels) {
    const file = executableOf(app, name);
    if (file === undefined) continue;
    const path = resolve(app.workspaceRoot, file.path);
    if (basename(path) !== command) continue;
    if (!isExecutable(path)) return { path, reason: 'is gone' };
    if (!isInEnvironment(path)) continue;
    return { path, reason: sha256OfFile(path) === file.sha256 ? null : 'is another version now' };
  }
  return undefined;
}

function executableOf(app: App, kernel: string): { path: string; sha256: string } | undefined {
  const folder = app.capture(kernel);
  if (!existsSync(captureFile(folder))) return undefined;
  try {
    return readCapture(folder).app.files.find(({ role }) => role === 'executable');
  } catch (error) {
    // The stage that reads the capture reports the error.
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/** Whether a program is in the `bin` of a virtual environment, or of one of Conda. */
const isInEnvironment = (program: string): boolean =>
  ['pyvenv.cfg', 'conda-meta'].some((name) => existsSync(join(dirname(dirname(program)), name)));
