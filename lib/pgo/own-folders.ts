import { existsSync } from 'node:fs';
import { filesBelow, refuseForeign } from '../support/foreign';

/** Code objects, profiles and their descriptions, for any kernel, gate and unit. */
const written = /^(build|map|generate)\.json$|\.report\.json$|\.(profraw|unifcnts|wavecnts|hsaco|cubin|ptx|lock)$/;

/** Refuses to recreate a folder below `pgo/` that contains other files. */
export function refuseForeignPgo(folder: string): void {
  if (!existsSync(folder)) return;
  const foreign = filesBelow(folder)
    .filter(({ path, isFile }) => !isFile || !written.test(path))
    .map(({ path }) => path)
    .sort();
  refuseForeign(folder, foreign, `not of PGO, which makes ${folder} anew`, 'move what is yours elsewhere');
}
