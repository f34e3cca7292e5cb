import { sha256 } from '../../lib/support/files';

/** A variable of one project, however alike the names of projects are: `KERNLOOP_JUDGED_KERNELS_APP_SAXPY_1f2e3d4c`. */
export function variableName(kind: string, readable: string, unique: string): string {
  return `KERNLOOP_${kind}_${readable.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_${sha256(unique).slice(0, 8)}`;
}
