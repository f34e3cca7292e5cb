import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Deps } from '../deps/deps';
import { isInside, sha256OfFile } from '../support/files';
import { KnownDigests } from '../support/known-digests';
import type { App } from './app';

export interface AppFile {
  /** Relative to the workspace; absolute outside of it, because a name alone would not identify the file. */
  path: string;
  sha256: string;
  role: 'executable' | 'script' | 'input' | 'library';
}

/**
 * "app" of capture.json. Only paths of files outside the workspace depend on this machine, so equal apps give equal
 * captures.
 */
export interface AppIdentity {
  name: string;
  /** Relative to the workspace. */
  root: string;
  command: string[];
  cwd: string;
  environment: Record<string, string>;
  files: AppFile[];
}

export async function appIdentity(
  app: App,
  program: string,
  variables: Readonly<Record<string, string | undefined>>,
  deps: Deps,
): Promise<AppIdentity> {
  const libraries = await loadedLibraries(program, variables, deps);
  const known = KnownDigests.of(deps.env);
  const describe = (path: string, role: AppFile['role']): AppFile => {
    const isOurs = isInside(app.workspaceRoot, path);
    return isOurs
      ? { path: relative(app.workspaceRoot, path), sha256: sha256OfFile(path), role }
      : { path: join(realpathSync(dirname(path)), basename(path)), sha256: known.of(path), role };
  };
  const identity: AppIdentity = {
    name: app.config.name,
    root: portablePath(app, app.root) || '.',
    command: app.config.command,
    cwd: portablePath(app, app.cwd) || '.',
    environment: app.config.env,
    files: [
      describe(program, 'executable'),
      ...scriptOf(app, program).map((path) => describe(path, 'script')),
      ...(app.stdin === undefined ? [] : [describe(app.stdin, 'input')]),
      ...libraries.map((path) => describe(path, 'library')),
    ],
  };
  known.save();
  return identity;
}

/** The script of the app, if the program is its interpreter. */
function scriptOf(app: App, program: string): string[] {
  if (!/^(python|pypy|sh|bash|dash|node|perl|ruby)[\d.]*$/.test(basename(program))) return [];
  const paths = app.config.command.slice(1).map((word) => resolve(app.cwd, word));
  return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile()).slice(0, 1);
}

/** Libraries that the dynamic linker would load; none for scripts and static programs. */
export async function loadedLibraries(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  deps: Pick<Deps, 'run' | 'native'>,
): Promise<string[]> {
  const lines: string[] = [];
  const ended = await deps.run('ldd', [program], { env, onStdoutLine: (line) => lines.push(line), timeoutMs: 30_000 })
    .result;
  if (ended.exitCode !== 0) return [];
  const paths = lines.map((line) => /=> (\/.*) \(0x[0-9a-f]+\)$/.exec(line)?.[1]).filter((path) => path !== undefined);
  // The runtime of the software GPU and the CUDA driver are the device, not the app.
  const isDevice = (path: string): boolean =>
    path.startsWith(deps.native.root + sep) || basename(path).startsWith('libcuda.so');
  return paths.filter((path) => !isDevice(path)).sort();
}

/** Relative inside the workspace; only the name outside it. */
function portablePath(app: App, path: string): string {
  return isInside(app.workspaceRoot, path) ? relative(app.workspaceRoot, path) : basename(path);
}
