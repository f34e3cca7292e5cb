import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nearest ancestor folder with nx.json; the folder itself if there is none. */
export function findWorkspaceRoot(folder: string): string {
  return findUpward(folder, 'nx.json') ?? folder;
}

export function findUpward(folder: string, file: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, file))) return current;
    if (dirname(current) === current) return undefined;
  }
}
