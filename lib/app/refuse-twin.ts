import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { KernloopError } from '../support/error';
import { fieldOf, jsonReader } from '../support/lenient-json';
import { kernloopFile } from '../support/project-file-names';
import { appsIn } from './apps-in';

/** Refuses a name that another app of an Nx workspace has: Nx lists no project where two have one name. */
export function refuseTwin(workspaceRoot: string, root: string, name: string): void {
  if (!existsSync(join(workspaceRoot, 'nx.json'))) return;
  const read = jsonReader();
  const twin = appsIn(workspaceRoot).folders.find(
    (folder) => folder !== root && fieldOf(read(join(folder, kernloopFile)), 'name') === name,
  );
  if (twin === undefined) return;
  throw new KernloopError(
    'APP_CONFLICT',
    `${relative(workspaceRoot, join(twin, kernloopFile))} is an app called "${name}", too`,
    `declare this one under another name first: \`kernloop init --name ${name}-2 -- ./program args\``,
  );
}
