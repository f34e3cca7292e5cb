import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { restProducts, type NativePaths } from './native-paths';

export const restInWords = 'PGO, traces, CUDA and watch-build';

/**
 * Whether this is the build of a checkout without some of the rest, as quickstart leaves it. Packages have everything.
 */
export function isLeftOut(native: NativePaths): boolean {
  return restProducts.some((name) => !existsSync(native[name])) && restBuilder(native) !== undefined;
}

/** Script of a checkout that builds the rest. It takes turns with other builds there. */
export function restBuilder({ root }: Pick<NativePaths, 'root'>): string | undefined {
  const checkout = dirname(dirname(root));
  const builder = join(checkout, 'tools', 'native.mjs');
  const isBuild = root === join(checkout, 'native', 'build') && existsSync(join(root, 'build.ninja'));
  return isBuild && existsSync(builder) ? builder : undefined;
}
