import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { writeJson } from '../../support/files';

const fileOf = (home: string): string => join(home, 'folders.json');

/** Removes folders for temporary files of a service of this home that was killed. Only the holder of its lock may. */
export function removeLeftFolders(home: string): void {
  if (!existsSync(fileOf(home))) return;
  const named = z.array(z.string()).safeParse(jsonOf(readFileSync(fileOf(home), 'utf8')));
  for (const folder of named.data ?? [])
    if (basename(folder).startsWith('kernloop-candidates-')) rmSync(folder, { recursive: true, force: true });
  rmSync(fileOf(home));
}

/** Remembers the folders that a kill would leave. */
export const nameFolders = (home: string, folders: readonly string[]): void => writeJson(fileOf(home), folders);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
