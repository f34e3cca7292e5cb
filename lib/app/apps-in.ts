import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopFile } from '../support/project-file-names';

/** Depth at which apps are, as in `apps/group/demo`; the second limit bounds the search in a large tree. */
const deepest = 4;
const mostFolders = 5000;

export interface FoundApps {
  /** Absolute, those nearest to the root first. */
  readonly folders: readonly string[];
  /** Whether the tree has more folders than were looked into. */
  readonly isCut: boolean;
}

/** Folders with a kernloop.json: the root, and those below it down to a depth. */
export function appsIn(root: string, levels = deepest): FoundApps {
  const folders: string[] = [];
  let level = [root];
  let left = mostFolders;
  let isCut = false;
  for (let depth = 0; depth <= levels && level.length > 0; depth += 1) {
    folders.push(...level.filter((folder) => existsSync(join(folder, kernloopFile))));
    const below = depth === levels ? [] : level.flatMap(foldersIn);
    isCut ||= below.length > left;
    level = below.slice(0, left);
    left -= level.length;
  }
  return { folders, isCut };
}

/** Folders in a folder, sorted. Hidden ones are left out, and links, which may form cycles. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    return [];
  }
}
