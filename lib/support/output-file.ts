import { closeSync, lstatSync, mkdirSync, readFileSync, readSync, realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Environment } from './environment';
import { KernloopError, systemCode } from './error';
import { jsonText, sha256, sha256OfFile, writeFileAtomic } from './files';
import { openRegularFile, readRegularFile } from './regular-file';
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
export const taken = (what: string, hint = 'move it away, or name another place with --output'): KernloopError =>
  new KernloopError('TARGET_EXISTS', what, hint);

/** A format of Kernloop's own: the `"schema"` of its JSON without the version, the first bytes of the file, or words in it. */
export type OwnFormat = { readonly schema: string } | { readonly magic: string } | { readonly mark: string };

/**
 * A file that Kernloop writes where nobody named a place (`report.json`). The user's own file may have the same name: a file of another format,
 * a link and a folder are neither replaced nor removed.
 */
export function requireOwnFile(path: string, ...formats: readonly OwnFormat[]): void {
  if (isForeignFile(path, ...formats))
    throw taken(`${path} is there already, and is none of Kernloop's`, 'move it away, and run the command again');
}

/** Looks once more before it writes: the stage may have run for minutes. */
export function writeOwnFile(path: string, text: string, ...formats: readonly OwnFormat[]): void {
  requireOwnFile(path, ...formats);
  writeFileAtomic(path, text);
}

export function writeOwnJson(path: string, value: { readonly schema: string }, ...formats: readonly OwnFormat[]): void {
  writeOwnFile(path, jsonText(value), ...formats);
}

/** Whether something is there that has none of these formats. */
export function isForeignFile(path: string, ...formats: readonly OwnFormat[]): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return false;
  return !there.isFile() || !formats.some((format) => hasFormat(path, format));
}

function hasFormat(path: string, format: OwnFormat): boolean {
  if ('magic' in format) return beginningOf(path, format.magic.length) === format.magic;
  if ('mark' in format) return readRegularFile(path, 'utf8').includes(format.mark);
  // Every version: another release wrote it, but Kernloop did.
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

/** Damaged JSON has the first schema that it names: a run must be able to replace what a crash cut short. */
function schemaIn(text: string): string | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && 'schema' in json;
    return isObject && typeof json.schema === 'string' ? json.schema : undefined;
  } catch {
    return /"schema":\s*"([^"]*)"/.exec(text)?.[1];
  }
}

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
