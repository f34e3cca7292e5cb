import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { KernloopError } from '../support/error';
import { fieldOf, jsonReader } from '../support/lenient-json';
import { kernloopFile } from '../support/project-file-names';
import { foldersIn } from './app';

/** Refuses a name that another app of an Nx workspace has: Nx lists no project where two have one name. */
export function refuseTwin(workspaceRoot: string, root: string, name: string): void {
  if (!existsSync(join(workspaceRoot, 'nx.json'))) return;
  const read = jsonReader();
  const twin = appsBelow(workspaceRoot, deepest).find(
    (folder) => folder !== root && fieldOf(read(join(folder, kernloopFile)), 'name') === name,
  );
  if (twin === undefined) return;
  throw new KernloopError(
    'APP_CONFLICT',
    `${relative(workspaceRoot, join(twin, kernloopFile))} is an app called "${name}", too`,
    `declare this one under another name first: \`kernloop init --name ${name}-2 -- ./program args\``,
  );
}

/** Depth at which apps are, as in `apps/group/demo`. */
const deepest = 4;

function appsBelow(folder: string, levels: number): string[] {
  const own = existsSync(join(folder, kernloopFile)) ? [folder] : [];
  return levels === 0
    ? own
    : [...own, ...foldersIn(folder).flatMap((name) => appsBelow(join(folder, name), levels - 1))];
}
