import { join } from 'node:path';

/** Paths of tune in a reproducer: in build/, which is neither edited nor committed. */
export const tunePaths = (root: string) => {
  const folder = join(root, 'build', 'tune');
  return {
    folder,
    candidates: join(folder, 'candidates'),
    result: join(folder, 'tune.json'),
    plot: join(folder, 'scores.vl.json'),
    svg: join(folder, 'scores.svg'),
    patch: join(folder, 'best.patch'),
    /** Exists while changes of `--apply` await their verdict. */
    applying: join(folder, 'applying.json'),
  };
};
