import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { systemCode } from '../support/error';
import { isInside, sha256OfFile, writeJson } from '../support/files';
import { kernelFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { pristineOnly, reproducerPaths } from './layout';

/** Files of pristine/ that the user gets, by their paths in it. */
export function adoptableFiles(pristine: string): string[] {
  if (!existsSync(pristine)) return [];
  return readdirSync(pristine, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(pristine, join(entry.parentPath, entry.name)))
    .filter((file) => !pristineOnly.includes(file))
    .sort();
}

/** A link is the user's, whatever it leads to, and so is what is below one. */
function ownDigest(root: string, file: string): string | undefined {
  const path = join(root, file);
  if (!existsSync(path) || !lstatSync(path).isFile()) return undefined;
  return isInside(realpathSync(root), realpathSync(dirname(path))) ? sha256OfFile(path) : undefined;
}

const schema = z.looseObject({ files: z.record(z.string(), z.string()) });
const recordOf = (root: string): string => join(reproducerPaths(root).build, 'adopted.json');

/** Digests with which files were last as in pristine/. A damaged record is none: files are then kept, and named. */
function adoptedDigests(root: string): Record<string, string> {
  try {
    return existsSync(recordOf(root)) ? readJson(recordOf(root), schema, 'FILE_UNREADABLE', '').files : {};
  } catch {
    return {};
  }
}

/** Whether a file is as it was in an earlier pristine/: it is no edit, and may follow the one that is there now. */
export function isUnedited(root: string, file: string, adopted: Readonly<Record<string, string>>): boolean {
  return adopted[file] !== undefined && ownDigest(root, file) === adopted[file];
}

const notSources = ['README.md', 'Makefile', kernelFile];

/** Sources of the user that differ from pristine/, and from every earlier one that was adopted. */
export function editedSources(root: string): string[] {
  const adopted = digestsAsAdopted(root);
  return adoptableFiles(reproducerPaths(root).pristine).filter(
    (file) => !notSources.includes(file) && existsSync(join(root, file)) && !isUnedited(root, file, adopted),
  );
}

/** Digests of files that are as in pristine/ now, and of those that ever were. */
export function digestsAsAdopted(root: string): Record<string, string> {
  const { pristine } = reproducerPaths(root);
  const same = adoptableFiles(pristine).flatMap((file) => {
    const digest = ownDigest(root, file);
    return digest !== undefined && digest === sha256OfFile(join(pristine, file)) ? [[file, digest] as const] : [];
  });
  return { ...adoptedDigests(root), ...Object.fromEntries(same) };
}

/**
 * Notes which files are as in pristine/ now, before or after that is replaced, and returns the digests of all that ever
 * were. A reproducer that cannot be written to has no note.
 */
export function noteAdopted(root: string): Record<string, string> {
  const files = digestsAsAdopted(root);
  if (isDeepStrictEqual(files, adoptedDigests(root))) return files;
  try {
    mkdirSync(dirname(recordOf(root)), { recursive: true });
    writeJson(recordOf(root), { schema: 'kernloop.adopted/1', files });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
  return files;
}
