import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Environment } from './environment';
import { KernloopError, systemCode } from './error';
import { sha256, sha256OfFile, writeFileAtomic } from './files';
import { userCacheFile } from './user-cache';
import { findUpward } from './workspace-root';

/**
 * Writes a file where the user said (`--output`). What lies there already is replaced only if its digest says that Kernloop wrote it there, or
 * that it is the same: everything else is the user's, and so is a file of ours that was edited.
 */
export function writeOutput(path: string, content: string, env: Environment): void {
  replaceOwn(path, sha256(content), env, () => writeFileAtomic(path, content));
}

/** The same of a file that is written already, beside its place. */
export function placeOutput(ready: string, path: string, env: Environment): void {
  replaceOwn(path, sha256OfFile(ready), env, () => renameSync(ready, path));
}

/** The folder that files are to be written to, made where there is none. */
export function outputFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    throw taken(`${folder} is no folder`);
  }
}

function replaceOwn(path: string, digest: string, env: Environment, replace: () => void): void {
  outputFolder(dirname(path));
  const record = recordOf(path, env);
  const own = record === undefined ? [] : digestsIn(record);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (!there.isFile()) throw taken(`${path} is there already, and is no plain file`);
    if (![digest, ...own].includes(sha256OfFile(path)))
      throw taken(`${path} is there already: Kernloop did not write it, or it was edited since`);
  }
  // First, so that the file has its digest here at every moment, whoever is killed.
  if (record !== undefined) remember(record, [digest, ...own.filter((other) => other !== digest)]);
  replace();
}

/** What lies where the user said is not ours. */
export const taken = (what: string): KernloopError =>
  new KernloopError('TARGET_EXISTS', what, 'move it away, or name another place with --output');

/** Of two that write one file at a time, and of an earlier run that was killed. */
const mostDigests = 8;

/** Where the digests of a file are: in its workspace, with which they move, or for the user. */
function recordOf(path: string, env: Environment): string | undefined {
  const place = join(realpathSync(dirname(path)), basename(path));
  const root = findUpward(dirname(place), 'nx.json');
  if (root !== undefined) return join(root, '.kernloop', 'written', sha256(relative(root, place)));
  return userCacheFile(env, join('written', sha256(place)));
}

function digestsIn(record: string): string[] {
  try {
    return readFileSync(record, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** A folder that cannot be written to costs the user a refusal the next time, nothing else. */
function remember(record: string, digests: readonly string[]): void {
  try {
    writeFileAtomic(record, `${digests.slice(0, mostDigests).join('\n')}\n`);
  } catch {
    return;
  }
}
