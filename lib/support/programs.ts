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

export const isExecutable = (path: string): boolean => isFileFor(path, constants.X_OK);
export const isReadable = (path: string): boolean => isFileFor(path, constants.R_OK);

function isFileFor(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
