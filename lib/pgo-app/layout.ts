import { join } from 'node:path';
import type { App } from '../app/app';

/** Where PGO keeps what belongs to an app: below .kernloop, where the app's own build never writes. */
export const appPgoPaths = ({ root }: Pick<App, 'root'>) => {
  const folder = join(root, '.kernloop', 'pgo');
  return {
    folder,
    instrumented: join(folder, 'instrumented'),
    raw: join(folder, 'raw'),
    variants: join(folder, 'variants'),
    profdata: join(folder, 'merged.profdata'),
    waves: join(folder, 'merged.waves.json'),
    mergeJson: join(folder, 'merged.json'),
    choice: join(folder, 'choice.json'),
    /** Of programs that the app compiles at run time. */
    runtime: join(folder, 'runtime'),
  };
};
