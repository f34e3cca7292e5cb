import { existsSync } from 'node:fs';
import { filesBelow, refuseForeign } from '../support/foreign';

/** Code objects, profiles and what describes them, by whatever kernel, gate and unit. */
const written = /^(build|map|generate)\.json$|\.report\.json$|\.(profraw|unifcnts|wavecnts|hsaco|cubin|ptx|lock)$/;

/** Before a folder below `pgo/` is made anew. */
export function refuseForeignPgo(folder: string): void {
  if (!existsSync(folder)) return;
  const foreign = filesBelow(folder)
    .filter(({ path, isFile }) => !isFile || !written.test(path))
    .map(({ path }) => path)
    .sort();
  refuseForeign(folder, foreign, `not of PGO, which makes ${folder} anew`, 'move what is yours elsewhere');
}
