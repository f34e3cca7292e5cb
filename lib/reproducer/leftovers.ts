import { removeAllDeadPartials } from '../support/leftovers';
import { reproducerPaths } from './layout';

/** Removes files that killed runs left. Remains beside a capture are removed by the recorder that holds its lock. */
export function removeLeftovers(root: string): void {
  removeAllDeadPartials(root, ['capture']);
  removeAllDeadPartials(reproducerPaths(root).build);
}
