import { removeAllDeadPartials } from '../support/leftovers';
import { reproducerPaths } from './layout';

/** Files that killed runs could not remove. A recorder that holds the lock of a capture removes those beside it. */
export function removeLeftovers(root: string): void {
  removeAllDeadPartials(root, ['capture']);
  removeAllDeadPartials(reproducerPaths(root).build);
}
