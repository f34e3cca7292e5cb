import { readdirSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';
import { KernloopError } from './error';

/** A file below a folder, or a link: what is no folder. */
export interface Below {
  /** Relative to the folder. */
  path: string;
  isFile: boolean;
}

export const filesBelow = (folder: string): Below[] =>
  entriesBelow(folder).map((entry) => ({
    path: relative(folder, join(entry.parentPath, entry.name)),
    isFile: entry.isFile(),
  }));

/** Node's own `recursive` costs several times this, and Nx asks it of every reproducer in every command. */
function entriesBelow(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entriesBelow(join(folder, entry.name)) : [entry],
  );
}

/** Before a stage makes a folder of its own anew: what is the user's in it would be gone. */
export function refuseForeign(folder: string, foreign: readonly string[], why: string, hint: string): void {
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 8).map((path) => join(folder, path));
  const more = foreign.length > shown.length ? ` and ${foreign.length - shown.length} more` : '';
  throw new KernloopError('FILE_FOREIGN', `${shown.join(', ')}${more}: ${why}`, hint);
}
