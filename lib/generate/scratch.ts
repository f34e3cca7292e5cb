import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeDeadPartials } from '../support/leftovers';

/** What a killed run could not remove itself. */
export const removeLeftovers = (reproducer: string): void => removeDeadPartials(join(reproducer, 'pristine'));

export function resetFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
