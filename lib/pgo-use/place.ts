import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Deps } from '../deps/deps';
import type { BuildJson } from '../pgo/build-json';
import { pgoToolchainIdentity } from '../pgo/identity';
import { candidateFiles } from '../reproducer/known-variants';
import { placedVariant, type KeptVariant } from '../reproducer/optimized-variant';
import type { Reproducer } from '../reproducer/reproducer';
import { throwIfGivenUp } from '../support/given-up';
import { partialOf } from '../support/leftovers';

/** Path at which replay and validate look for it. */
const placeOf = (file: string): string => join('build', `optimized${extname(file)}`);

/**
 * Places the kept variant at the path that replay and validate use, and removes the previous one. A file that the user
 * put there stays: then nothing is placed, because it would be unclear which one is meant.
 */
export function placeVariant(
  { root, config }: Reproducer,
  kept: { file: string; sha256: string } | null,
  build: BuildJson,
  deps: Deps,
): KeptVariant | null {
  const before = placedVariant(root);
  if (before !== null) rmSync(join(root, before.file));
  if (kept === null) return null;
  const [own] = candidateFiles(root);
  if (own !== undefined) {
    deps.report.warn(
      `${config.name}: ${own} is yours and stays: the kept variant is ${kept.file} (name it with --variant)`,
    );
    return null;
  }
  const place = placeOf(kept.file);
  const target = join(root, place);
  mkdirSync(dirname(target), { recursive: true });
  const partial = partialOf(target);
  copyFileSync(join(root, kept.file), partial);
  throwIfGivenUp();
  renameSync(partial, target);
  const { recipe_sha256, sources, outside, absent } = build;
  // The headers of this system do not matter for a variant built elsewhere.
  const system = pgoToolchainIdentity(deps.env) === 'none' ? {} : build.system;
  return { file: place, sha256: kept.sha256, recipe_sha256, sources, outside, system, absent };
}

export function isPlaced(root: string, placed: KeptVariant | null): boolean {
  return placed === null || (existsSync(join(root, placed.file)) && placedVariant(root) !== null);
}
