import { lstatSync, renameSync } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Deps } from '../deps/deps';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { variantJsonSchema, type VariantJson } from '../reproducer/variant-json';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import type { ReadOnce } from '../support/read-once';
import { readJson } from '../support/schema';

/**
 * Moves a file aside before recompile replaces it, unless variant.json says that recompile built it. build/ is
 * Kernloop's, but a code object that somebody compiled by hand may exist nowhere else.
 */
export function keepUsersBuild(
  { root, files }: Pick<Reproducer, 'root' | 'files'>,
  output: string,
  deps: Pick<Deps, 'report'>,
  { writesPtx = false }: { writesPtx?: boolean } = {},
): void {
  const { variantJson, variantPtx } = reproducerPaths(root);
  const built = builtIn(variantJson, files);
  if (isThere(output) && !isBuilt(output, built)) keep(root, output, deps);
  const isOurs = (): boolean => isFile(variantPtx) && built?.ptx_sha256 === sha256OfFile(variantPtx);
  if (writesPtx && isThere(variantPtx) && !isOurs()) keep(root, variantPtx, deps);
  if (isThere(variantJson) && (built === undefined || !isFile(variantJson))) keep(root, variantJson, deps);
}

/** variant.json of the last build; undefined if there is none, or none that recompile wrote. */
export function builtIn(variantJson: string, files?: ReadOnce): VariantJson | undefined {
  try {
    return readJson(variantJson, variantJsonSchema, 'VARIANT_MISSING', '', files);
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/** Whether this file is the one that the last whole recompile built. */
export const isLastBuild = (root: string, output: string): boolean =>
  isBuilt(output, builtIn(reproducerPaths(root).variantJson));

/** A link belongs to the user, whatever its target. */
function isBuilt(output: string, built: VariantJson | undefined): boolean {
  if (built === undefined || !isFile(output)) return false;
  return built.code_object === basename(output) && built.code_object_sha256 === sha256OfFile(output);
}

function keep(root: string, path: string, { report }: Pick<Deps, 'report'>): void {
  const place = placeFor(path);
  renameSync(path, place);
  const [from, to] = [path, place].map((each) => relative(root, each));
  report.warn(`${from} is none that \`kernloop recompile\` built: it is kept as ${to}`);
}

/** Free name such as variant.kept-1.hsaco; the same content is kept once. */
function placeFor(path: string): string {
  const [, stem = path, extension = ''] = /^(.*)(\.[^./]+)$/.exec(path) ?? [];
  for (let number = 1; ; number += 1) {
    const place = `${stem}.kept-${number}${extension}`;
    if (!isThere(place) || isSame(path, place)) return place;
  }
}

const isSame = (one: string, other: string): boolean =>
  isFile(one) && isFile(other) && sha256OfFile(one) === sha256OfFile(other);

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
