import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { KernloopError } from './error';
import { throwIfGivenUp } from './given-up';
import { partialOf } from './leftovers';
import { openRegularFile } from './regular-file';
import { withPath } from './unwritable';

/** Writes a file by rename: readers see the old or the new content, never a part. `sync: false` is for what the next command writes again. */
export function writeFileAtomic(path: string, content: string | Buffer, { sync = true } = {}): void {
  throwIfGivenUp();
  mkdirSync(dirname(path), { recursive: true });
  const partial = partialOf(path);
  try {
    const file = openSync(partial, 'w');
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
      if (sync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    throwIfGivenUp();
    renameSync(partial, path);
  } catch (error) {
    removeIfThere(partial);
    throw withPath(error, path);
  }
}

/** Ignores errors of the removal: the error of the write says more. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function writeJson(path: string, value: unknown): void {
  writeFileAtomic(path, jsonText(value));
}

export function sha256OfFile(path: string): string {
  const hash = createHash('sha256');
  const { file, size } = openRegularFile(path);
  try {
    // Sizes the buffer by the file, because most files are small and allocating a MiB takes longer than reading them. A
    // file that grows is read in several parts.
    const buffer = Buffer.allocUnsafe(Math.min(1 << 20, Math.max(size, 4095) + 1));
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Resolves a path that a file names; refuses one that leaves `root`. */
export function resolveInside(root: string, path: string, where: string): string {
  const absolute = resolve(root, path);
  const inside = relative(root, absolute);
  if (isAbsolute(path) || inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new KernloopError('PATH_OUTSIDE', `${where}: "${path}" leaves ${root}`, 'use a path inside that folder');
  }
  return absolute;
}

export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
