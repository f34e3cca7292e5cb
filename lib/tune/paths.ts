import { join } from 'node:path';

/** Where tune keeps things in a reproducer: in build/, which nobody edits or commits. */
export const tunePaths = (root: string) => {
  const folder = join(root, 'build', 'tune');
  return {
    folder,
    candidates: join(folder, 'candidates'),
    result: join(folder, 'tune.json'),
    plot: join(folder, 'scores.vl.json'),
    svg: join(folder, 'scores.svg'),
    patch: join(folder, 'best.patch'),
    /** There while `--apply` has written what has no verdict yet. */
    applying: join(folder, 'applying.json'),
  };
};
