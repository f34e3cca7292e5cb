import { closeSync, lstatSync, mkdirSync, readFileSync, readSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Environment } from './environment';
import { KernloopError, systemCode } from './error';
import { jsonText, sha256, sha256OfFile, writeFileAtomic } from './files';
import { openRegularFile, readRegularFile } from './regular-file';
import { userCacheFile } from './user-cache';
import { findUpward } from './workspace-root';

/**
 * Writes a file to the place that the user named (`--output`). Replaces an existing file only if its digest shows that
 * Kernloop wrote it there or that it is the same; all others, also edited files of ours, are the user's.
 */
export function writeOutput(path: string, content: string, env: Environment): void {
  replaceOwn(path, sha256(content), env, () => writeFileAtomic(path, content));
}

/** Puts a finished file in place, with the same rule. */
export function placeOutput(ready: string, path: string, env: Environment): void {
  replaceOwn(path, sha256OfFile(ready), env, () => renameSync(ready, path));
}

/** Creates the folder for output files if it is missing. */
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
  // Records the digest first, so that the file's digest is known at every moment, even if a run is killed.
  if (record !== undefined) remember(record, [digest, ...own.filter((other) => other !== digest)]);
  replace();
}

/** Error for something in the user's place that is not ours. */
export const taken = (what: string, hint = 'move it away, or name another place with --output'): KernloopError =>
  new KernloopError('TARGET_EXISTS', what, hint);

/** Mark of Kernloop's formats: `"schema"` of the JSON without version, first bytes of the file, or words in it. */
export type OwnFormat = { readonly schema: string } | { readonly magic: string } | { readonly mark: string };

/**
 * Checks a default place (`report.json`), where the user's own file may have the same name: a file of another format, a
 * link or a folder is neither replaced nor removed.
 */
export function requireOwnFile(path: string, ...formats: readonly OwnFormat[]): void {
  if (isForeignFile(path, ...formats))
    throw taken(`${path} is there already, and is none of Kernloop's`, 'move it away, and run the command again');
}

/** Checks again before writing: the stage may have run for minutes. */
export function writeOwnFile(path: string, text: string, ...formats: readonly OwnFormat[]): void {
  requireOwnFile(path, ...formats);
  writeFileAtomic(path, text);
}

export function writeOwnJson(path: string, value: { readonly schema: string }, ...formats: readonly OwnFormat[]): void {
  writeOwnFile(path, jsonText(value), ...formats);
}

/** Whether the path exists and has none of these formats. */
export function isForeignFile(path: string, ...formats: readonly OwnFormat[]): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return false;
  return !there.isFile() || !formats.some((format) => hasFormat(path, format));
}

function hasFormat(path: string, format: OwnFormat): boolean {
  if ('magic' in format) return beginningOf(path, format.magic.length) === format.magic;
  if ('mark' in format) return readRegularFile(path, 'utf8').includes(format.mark);
  // Accepts every version, because another release of Kernloop may have written it.
  return schemaIn(readRegularFile(path, 'utf8'))?.startsWith(`${format.schema}/`) === true;
}

function beginningOf(path: string, bytes: number): string {
  const { file } = openRegularFile(path);
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('latin1', 0, readSync(file, buffer));
  } finally {
    closeSync(file);
  }
}

/** For damaged JSON takes the first schema in the text: a run must be able to replace a file that a crash truncated. */
function schemaIn(text: string): string | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && 'schema' in json;
    return isObject && typeof json.schema === 'string' ? json.schema : undefined;
  } catch {
    return /"schema":\s*"([^"]*)"/.exec(text)?.[1];
  }
}

/** Keeps several digests, for concurrent writers and for earlier runs that were killed. */
const mostDigests = 8;

/** Record of a file's digests: in its workspace, so that both move together, or in the user's cache. */
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

/** An unwritable folder only means that the next run refuses to replace the file. */
function remember(record: string, digests: readonly string[]): void {
  try {
    writeFileAtomic(record, `${digests.slice(0, mostDigests).join('\n')}\n`);
  } catch {
    return;
  }
}
