import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Splits a PATH; an empty entry means the working directory. */
export function pathFolders(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).map((folder) => folder || '.');
}

/** Executable files with this name, in the order of the folders. */
export function programsIn(folders: readonly string[], name: string): string[] {
  return [...new Set(folders.map((folder) => join(folder, name)))].filter(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
