import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a workspace, by paths relative to its root: those on disk, or the tree of an Nx generator. */
export interface WorkspaceFiles {
  readonly root: string;
  exists(path: string): boolean;
  isFile(path: string): boolean;
  /** Names in a folder; empty if there is none. */
  children(folder: string): string[];
  /** Null if there is no such file. */
  read(path: string): Buffer | null;
  read(path: string, encoding: 'utf-8'): string | null;
}

export function filesOnDisk(root: string): WorkspaceFiles {
  const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
  function read(path: string): Buffer | null;
  function read(path: string, encoding: 'utf-8'): string | null;
  function read(path: string, encoding?: 'utf-8'): Buffer | string | null {
    return isFile(path) ? readFileSync(join(root, path), encoding) : null;
  }
  return {
    root,
    exists: (path) => existsSync(join(root, path)),
    isFile,
    children: (folder) => namesIn(join(root, folder)),
    read,
  };
}

/** Folders that may not be read have nothing of the app. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
