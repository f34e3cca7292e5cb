import { join } from 'node:path';
import { foldersWithLeftovers } from '../stage/writes';
import { removeAllDeadPartials } from '../support/leftovers';

/** Removes files that killed runs left. Remains beside a capture are removed by the recorder that holds its lock. */
export function removeLeftovers(root: string): void {
  for (const folder of foldersWithLeftovers)
    removeAllDeadPartials(join(root, folder), folder === '' ? ['capture'] : []);
}
