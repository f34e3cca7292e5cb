import type { Dirent } from 'node:fs';
import { join, relative } from 'node:path';
import { KernloopError } from './error';
import { ReadOnce } from './read-once';

/** An entry below a folder that is no folder: a file, a link or a special file. */
export interface Below {
  /** Path relative to the folder. */
  path: string;
  isFile: boolean;
}

export const filesBelow = (folder: string, look = new ReadOnce()): Below[] =>
  entriesBelow(folder, look).map((entry) => ({
    path: relative(folder, join(entry.parentPath, entry.name)),
    isFile: entry.isFile(),
  }));

/** Node's own `recursive` takes several times as long, and Nx lists every reproducer in every command. */
function entriesBelow(folder: string, look: ReadOnce): Dirent[] {
  return look
    .entriesIn(folder)
    .flatMap((entry) => (entry.isDirectory() ? entriesBelow(join(folder, entry.name), look) : [entry]));
}

/** Refuses to recreate a stage's folder if that would delete files of the user. */
export function refuseForeign(folder: string, foreign: readonly string[], why: string, hint: string): void {
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 8).map((path) => join(folder, path));
  const more = foreign.length > shown.length ? ` and ${foreign.length - shown.length} more` : '';
  throw new KernloopError('FILE_FOREIGN', `${shown.join(', ')}${more}: ${why}`, hint);
}
