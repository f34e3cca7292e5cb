import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kernelFile, kernloopFile } from '../support/project-file-names';
import { findUpward, findWorkspaceRoot } from '../support/workspace-root';
import { reproducersIn } from './reproducers-in';

/**
 * The workspace that is meant by its root, or by the folder of one of its apps. Undefined for a reproducer, and where
 * there is none.
 */
export function workspaceIn(place: string): string | undefined {
  const folder = resolve(place);
  const isNamed = ['nx.json', kernloopFile].some((file) => existsSync(join(folder, file)));
  if (!isNamed || findUpward(folder, kernelFile) !== undefined) return undefined;
  const root = findWorkspaceRoot(folder);
  return reproducersIn(root).length > 0 ? root : undefined;
}
