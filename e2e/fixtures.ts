import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { identityVariables } from '../plugins/kernel/identity';
import { currentVariant } from '../lib/recompile/current-variant';
import { notSources } from '../lib/stage/writes';
import { sha256, sha256OfFile } from '../lib/support/files';
import { removeOldFolders } from '../lib/support/leftovers';
import { run } from './harness';
import { Workspace } from './in-process';

/** Folder of this run, or the one that E2E_FIXTURES names, which is kept (global-setup.cjs). */
const store = process.env['E2E_FIXTURES'] ?? '';

/** Written last: a folder without it is from a failed or killed run. */
const complete = '.complete';

/** The lock ends with the process that requested it, in any case. */
const hold = 'exec 9> "$0" && flock 9 && echo held && exec cat';

/**
 * A folder of the store that `make` filled, in this run or before: one for each value of `parts`. Its path is final
 * from the start.
 */
async function madeOnce(name: string, parts: unknown, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(store, `${name}-${sha256(JSON.stringify(parts)).slice(0, 32)}`);
  const marker = join(folder, complete);
  const release = await locked(`${folder}.lock`);
  try {
    if (!existsSync(marker)) {
      removeOldFolders(store, `${name}-`, new Date());
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      await make(folder);
      writeFileSync(marker, '');
    }
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  } finally {
    await release();
  }
}

async function locked(path: string): Promise<() => Promise<void>> {
  const holder = spawn('sh', ['-c', hold, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(holder, 'close');
  const held = await Promise.race([once(holder.stdout, 'data'), closed]);
  if (String(held[0]) !== 'held\n') throw new Error(`the lock ${path} cannot be taken: flock ended with ${held[0]}`);
  return async () => {
    holder.stdin.end();
    await closed;
  };
}

/** Everything besides the sources that decides captures and compilations of this checkout. */
let known: object | undefined;
const identity = (): object => (known ??= identityVariables({ ...process.env }, ['softgpu']));

/** Digests of the files in a folder, limited to entries that count by name. */
function digestsOf(root: string, counts: (name: string) => boolean): [string, string][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => counts(path.split('/')[0] ?? ''))
    .sort()
    .map((path) => [path, sha256OfFile(join(root, path))]);
}

const sourcesOf = (folder: string): [string, string][] => digestsOf(folder, (name) => name !== 'build');

/** Folder in which CMake built a fixture. */
export function builtOnce(source: string, ...definitions: string[]): Promise<string> {
  return madeOnce('built', [identity(), sourcesOf(source), definitions], async (build) => {
    for (const args of [
      ['-S', source, '-B', build, ...definitions],
      ['--build', build],
    ]) {
      const outcome = await run('cmake', args, { env: { HIP_PLATFORM: 'amd' } });
      if (outcome.code !== 0) throw new Error(`${source} was not built:\n${outcome.text}`);
    }
  });
}

/**
 * An app with the result of `kernloop extract`. `addApp` writes the app into a workspace, from the files below
 * `sources`, and returns its folder; the extraction runs in a separate workspace.
 */
export async function addExtracted(
  workspace: Workspace,
  sources: string,
  addApp: (workspace: Workspace) => string,
  ...args: string[]
): Promise<void> {
  const app = addApp(workspace);
  const parts = [identity(), sourcesOf(sources), workspace.read(join(app, 'kernloop.json')), app, args];
  const made = await madeOnce('extracted', parts, async (folder) => {
    const there = Workspace.create([]);
    try {
      addApp(there);
      const outcome = await there.kernloop(['extract', '--app', app, ...args]);
      if (outcome.code !== 0) throw new Error(`${app} was not extracted:\n${outcome.text}`);
      for (const name of [app, 'kernels', '.kernloop'])
        if (existsSync(there.path(name))) cpSync(there.path(name), join(folder, name), { recursive: true });
    } finally {
      there.remove();
    }
  });
  cpSync(made, workspace.root, { recursive: true, filter: (path) => !path.endsWith(complete) });
}

/**
 * Removes file names from the messages of an app's macro: `recompile` compiles each edit of a unit that uses its name
 * in two other paths, too. The tests of batched-scale keep them.
 */
export function withoutFileNames(workspace: Workspace, path: string): void {
  workspace.edit(path, (text) =>
    text.replaceAll('"%s:%d: ', '"line %d: ').replaceAll('__FILE__, __LINE__', '__LINE__'),
  );
}

/**
 * Does `kernloop recompile` for tests of other stages: compiles unless the same was compiled before. The product itself
 * checks whether the code in build/ is current.
 */
export async function recompiled(workspace: Workspace, reproducer: string, ...options: '--line-info'[]): Promise<void> {
  const root = workspace.path(reproducer);
  const sources = digestsOf(root, (name) => name === 'pristine' || !notSources.has(name));
  const build = join(root, 'build');
  rmSync(build, { recursive: true, force: true });
  const made = await madeOnce('variant', [identity(), sources, options], async (folder) => {
    const outcome = await workspace.kernloop(['recompile', '--reproducer', reproducer, ...options]);
    if (outcome.code !== 0) throw new Error(`${reproducer} was not compiled:\n${outcome.text}`);
    cpSync(build, folder, { recursive: true });
  });
  cpSync(made, build, { recursive: true, filter: (path) => !path.endsWith(complete) });
  const env = { ...process.env, ...workspace.settings().env };
  // Edits for the software GPU have line information without the option.
  const accepted = options.includes('--line-info') ? [true] : [true, false];
  if (accepted.every((lineInfo) => currentVariant(root, { lineInfo }, env) === undefined))
    throw new Error(`${made} is not what recompile would make of ${reproducer}`);
}
