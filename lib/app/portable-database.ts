import { existsSync, readFileSync, realpathSync } from 'node:fs';

/**
 * The compile database without the folder of the workspace: tasks depend on this text, which is the same in every
 * clone.
 */
export function portableDatabase(path: string, workspaceRoot: string): string {
  if (!existsSync(path)) return 'none\n';
  const folders = [...new Set([workspaceRoot, realpathSync(workspaceRoot)])].sort((a, b) => b.length - a.length);
  return folders.reduce((text, folder) => withoutFolder(text, folder), readFileSync(path, 'utf8'));
}

/**
 * Removes the folder at the start of a path, also directly after an option. A path that only shares a prefix or suffix
 * with it is another folder.
 */
function withoutFolder(text: string, folder: string): string {
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`(?<=(?:^|[\\s"'=:,])(?:-[A-Za-z]+)?)${escaped}(?![\\w.-])`, 'g'), '{workspace}');
}
