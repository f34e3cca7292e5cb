import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { kernloopFile } from './project-file-names';

/**
 * Nearest ancestor folder with nx.json; without Nx, the folder of the app whose kernels/ the folder is in; else the
 * folder itself.
 */
export function findWorkspaceRoot(folder: string): string {
  return findUpward(folder, 'nx.json') ?? appAround(folder) ?? folder;
}

/** `extract` makes reproducers in kernels/ beside kernloop.json if there is no workspace of Nx. */
function appAround(folder: string): string | undefined {
  const app = findUpward(folder, kernloopFile);
  return app !== undefined && relative(app, folder).split(sep)[0] === 'kernels' ? app : undefined;
}

export function findUpward(folder: string, file: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, file))) return current;
    if (dirname(current) === current) return undefined;
  }
}
