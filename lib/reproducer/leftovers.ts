import { removeAllDeadPartials } from '../support/leftovers';
import { reproducerPaths } from './layout';

/** What killed runs could not remove themselves. A recorder that holds the lock of a capture removes what is beside that. */
export function removeLeftovers(root: string): void {
  removeAllDeadPartials(root, ['capture']);
  removeAllDeadPartials(reproducerPaths(root).build);
}
