import { existsSync, readFileSync, realpathSync } from 'node:fs';

/**
 * A compile database names folders of the machine it was made on. What it says is the same in another clone of the workspace: so tasks depend
 * on it with the folder of the workspace left out.
 */
export function portableDatabase(path: string, workspaceRoot: string): string {
  if (!existsSync(path)) return 'none\n';
  const folders = [...new Set([workspaceRoot, realpathSync(workspaceRoot)])].sort((a, b) => b.length - a.length);
  return folders.reduce((text, folder) => withoutFolder(text, folder), readFileSync(path, 'utf8'));
}

/** At the start of a path, also right behind an option: what only ends or begins alike is another folder. */
function withoutFolder(text: string, folder: string): string {
  const escaped = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`(?<=(?:^|[\\s"'=:,])(?:-[A-Za-z]+)?)${escaped}(?![\\w.-])`, 'g'), '{workspace}');
}
