import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { sitePackages } from '../device/cupti';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { sha256OfFile, isInside } from '../support/files';
import type { App } from './app';
import { fingerprintOf } from './fingerprint';
import { loadedLibraries } from './identity';
import { findProgram } from './program';

/**
 * Digests of the files that an app's command runs. They identify the captured program, as far as possible without
 * running it.
 */
export interface ProgramFiles {
  schema: 'kernloop.program/1';
  /** Path to digest. Paths inside the workspace are relative to it; the digest of a missing file is "none". */
  files: Record<string, string>;
  /** Folders of Python packages and of the script, each with one digest over all its files. */
  packages: Record<string, string>;
}

/** Larger files are identified by size and times: hashing a model's weights with every command would cost seconds. */
const contentLimit = 64 * 1024 * 1024;
const scriptLimit = 64 * 1024;
const mostScriptWords = 500;

export async function programFiles(app: App, deps: Pick<Deps, 'run' | 'env' | 'native'>): Promise<ProgramFiles> {
  const found = new Set<string>();
  // Relative paths: another clone has its workspace in another folder.
  const shown = (path: string): string =>
    isInside(app.workspaceRoot, path) ? relative(app.workspaceRoot, path) : path;
  const missing: string[] = [];
  try {
    found.add(findProgram(app, deps.env));
  } catch (error) {
    // The stage that runs the program reports the error.
    if (!(error instanceof KernloopError)) throw error;
    missing.push(app.config.command[0] ?? '');
  }
  for (const word of app.config.command.flatMap((text) => [text, text.slice(text.indexOf('=') + 1)]))
    addFile(found, resolve(app.cwd, word));
  if (app.stdin !== undefined) addFile(found, app.stdin);
  // Iterating a set also visits entries added meanwhile: the interpreter of a script, and files that a shell script
  // names.
  for (const path of found) for (const other of behindScript(path, app, deps)) addFile(found, other);
  const programs = [...found];
  for (const path of programs.filter(isProgram))
    for (const library of await loadedLibraries(path, app.config.env, deps)) found.add(library);
  const env = { ...deps.env, ...app.config.env };
  const packages = new Set(programs.flatMap((path) => [...sitePackages(path, env), ...userPackages(path, env)]));
  const scripts =
    packages.size === 0 ? [] : programs.filter((path) => path.endsWith('.py')).map((path) => dirname(path));
  return {
    schema: 'kernloop.program/1',
    files: byName([
      ...missing.map((name): [string, string] => [name, 'none']),
      ...[...found].map((path): [string, string] => [shown(path), digestOf(path)]),
    ]),
    packages: byName(
      [...packages, ...new Set(scripts)]
        .filter((folder) => existsSync(folder))
        .map((folder) => [shown(folder), fingerprintOf(folder, scripts.includes(folder) ? 'modules' : 'all')]),
    ),
  };
}

/** Sorts by displayed name: the order of absolute paths depends on the folder of the workspace. */
const byName = (entries: readonly [string, string][]): Record<string, string> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

function addFile(found: Set<string>, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) found.add(path);
}

function digestOf(path: string): string {
  const { size, mtimeMs, ctimeMs } = statSync(path);
  return size <= contentLimit ? sha256OfFile(path) : `${size} ${mtimeMs} ${ctimeMs}`;
}

function isProgram(path: string): boolean {
  return (statSync(path).mode & 0o111) !== 0;
}

/** A script also names files that it writes: a log would make every run differ. */
function isRunnable(path: string): boolean {
  return existsSync(path) && (isProgram(path) || /\.(py|sh|so)$/.test(path));
}

/**
 * Files that a script needs: its interpreter, also behind `env`, and for a shell script every word that names a file.
 */
function behindScript(path: string, app: App, { env }: Pick<Deps, 'env'>): string[] {
  const text = headOf(path);
  const words = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text);
  const [, interpreter, argument] = words ?? [];
  const named = basename(interpreter ?? '') === 'env' && argument !== undefined ? onPath(argument, app, env) : [];
  const isShell =
    [interpreter ?? '', argument ?? ''].some((name) => /^(ba|da|z|k)?sh$/.test(basename(name))) || path.endsWith('.sh');
  const mentioned = isShell ? [...new Set(text.match(/[\w@%+./-]+/g) ?? [])].slice(0, mostScriptWords) : [];
  return [
    ...(interpreter === undefined ? [] : [interpreter]),
    ...named,
    ...mentioned.flatMap((word) => [resolve(app.cwd, word), resolve(dirname(path), word)]).filter(isRunnable),
  ];
}

function onPath(name: string, app: App, env: Deps['env']): string[] {
  const folders = (app.config.env['PATH'] ?? env['PATH'] ?? '').split(':').filter(Boolean);
  const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate));
  return path === undefined ? [] : [path];
}

function headOf(path: string): string {
  return statSync(path).size <= contentLimit ? readFileSync(path).subarray(0, scriptLimit).toString('latin1') : '';
}

/** Folders of `pip install --user`. */
function userPackages(program: string, env: Deps['env']): string[] {
  const home = env['PYTHONUSERBASE'] ?? (env['HOME'] ? join(env['HOME'], '.local') : undefined);
  if (home === undefined) return [];
  // The user base is laid out like an installation: lib/python3.x/site-packages.
  return sitePackages(program, {}).length === 0 ? [] : sitePackages(join(home, 'bin', 'python3'), {});
}
