import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TranslationUnit } from '../toolchain/translation-unit';
import { archiveMembers, type ArchiveMember } from './archive-members';

const maxDepth = 6;
const maxFolders = 4000;
const maxArchives = 1000;
const skipped = new Set(['node_modules', '.git', '.nx', '.kernloop']);

/** Finds objects that the build archived and removed: members with their names in archives below its folders. */
export function archivedObjects(units: readonly TranslationUnit[], root: string): Map<string, ArchiveMember[]> {
  const wanted = new Set(units.map(({ output }) => basename(output ?? '')));
  const found = new Map<string, ArchiveMember[]>();
  if (wanted.size === 0) return found;
  const folders = [
    root,
    ...units.flatMap(({ directory, output }) => [directory, output === null ? [] : dirname(output)]),
  ];
  for (const archive of archivesBelow(new Set(folders.flat()))) {
    for (const member of membersOrNone(archive)) {
      const name = basename(member.name);
      if (wanted.has(name)) found.set(name, [...(found.get(name) ?? []), member]);
    }
  }
  return found;
}

function archivesBelow(folders: ReadonlySet<string>): string[] {
  const pending = [...folders].map((folder) => ({ folder, depth: 0 }));
  const seen = new Set<string>();
  const archives = new Set<string>();
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { folder, depth } = next;
    if (seen.has(folder) || seen.size >= maxFolders || archives.size >= maxArchives) continue;
    seen.add(folder);
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile() && entry.name.endsWith('.a')) archives.add(path);
      if (entry.isDirectory() && depth < maxDepth && !skipped.has(entry.name))
        pending.push({ folder: path, depth: depth + 1 });
    }
  }
  return [...archives];
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Treats an unreadable archive as absent. */
function membersOrNone(archive: string): ArchiveMember[] {
  try {
    return archiveMembers(archive) ?? [];
  } catch {
    return [];
  }
}
