import { constants, existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { kernelJsonSchema, type KernelJson } from '../reproducer/kernel-json';
import { adoptableFiles, isUnedited, noteAdopted } from '../reproducer/adopted-files';
import { reproducerPaths } from '../reproducer/layout';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { isInside, writeFileAtomic } from '../support/files';
import { readJson } from '../support/schema';
import type { AdoptOptions } from './options';
import type { AdoptResult } from './result';
import { kernelFile } from '../support/project-file-names';
import { readRegularFile } from '../support/regular-file';

/**
 * Copies files from `pristine/` that do not exist yet, and those that are as in an earlier `pristine/`, which nobody
 * edited. Files that the user changed or added stay, unless a reset is asked for.
 */
export async function adopt(options: AdoptOptions, deps: Pick<Deps, 'report'>): Promise<AdoptResult> {
  const root = resolve(options.reproducer);
  const { pristine } = reproducerPaths(root);
  if (!existsSync(pristine)) {
    throw new KernloopError(
      'CAPTURE_MISSING',
      `${pristine} does not exist: nothing was generated yet`,
      "run `kernloop extract` in the app's folder, or `nx run <app>:extract-kernel`",
    );
  }
  const result: AdoptResult = { reproducer: root, written: [], updated: [], different: [], reset: [] };
  const followed: string[] = [];
  const adopted = noteAdopted(root);
  for (const file of adoptableFiles(pristine)) {
    const from = join(pristine, file);
    if (!options.reset && isUnedited(root, file, adopted) && !sameContent(from, join(root, file))) {
      writeFileAtomic(join(root, file), readRegularFile(from));
      followed.push(file);
    } else await adoptFile(from, root, file, options.reset, result);
  }
  noteAdopted(root);
  report(result, followed, deps);
  return { ...result, updated: [...result.updated, ...followed].sort() };
}

async function adoptFile(from: string, root: string, file: string, reset: boolean, result: AdoptResult): Promise<void> {
  const to = join(root, file);
  if (!existsSync(to)) {
    refuseOutside(root, file);
    await mkdir(dirname(to), { recursive: true });
    // COPYFILE_EXCL fails rather than overwrites if somebody else writes the file at this moment.
    await copyFile(from, to, constants.COPYFILE_EXCL);
    result.written.push(file);
  } else if (!sameContent(from, to) && !(file === kernelFile && sameButForSchema(from, to))) {
    const current = file === kernelFile && !reset ? withCaptureOf(from, to) : undefined;
    if (current !== undefined) {
      writeFileAtomic(to, current);
      result.updated.push(file);
    }
    if (reset) {
      refuseOutside(root, file);
      if (lstatSync(to).isDirectory())
        throw new KernloopError('TARGET_EXISTS', `${to} is a folder`, 'move it away, and reset again');
      // Removes a link first: writing through it would change a file outside the reproducer.
      await rm(to);
      await copyFile(from, to);
      result.reset.push(file);
    } else if (!sameContent(from, to)) result.different.push(file);
  }
}

/** Links belong to the user: nothing is written below a folder that is a link. */
function refuseOutside(root: string, file: string): void {
  let folder = dirname(join(root, file));
  while (!existsSync(folder)) folder = dirname(folder);
  if (isInside(realpathSync(root), realpathSync(folder))) return;
  throw new KernloopError(
    'PATH_OUTSIDE',
    `${file} of ${root} would be written outside of it: a link leads to ${realpathSync(folder)}`,
    'put a folder in the place of the link, or copy the file from pristine/ yourself',
  );
}

/**
 * The user's kernel.json with the values that the current capture decides (code object, symbol, device) replaced.
 * Undefined if it has these values already, or if it is for another kernel.
 */
export function withCaptureOf(generated: string, mine: string): string | undefined {
  const [theirs, own] = [kernelJsonIn(generated), kernelJsonIn(mine)];
  if (!theirs || !own) return undefined;
  if (theirs.symbol !== own.symbol && theirs.demangled !== own.demangled) return undefined;
  const shapeOf = ({ args }: KernelJson): unknown => args.map(({ offset, size, type }) => ({ offset, size, type }));
  if (!isDeepStrictEqual(shapeOf(theirs), shapeOf(own))) return undefined;
  const text = readRegularFile(mine, 'utf8');
  const facts = [
    ['code_object', own.code_object, theirs.code_object],
    ['symbol', own.symbol, theirs.symbol],
    // An argument also has a `kind`, but none of these names.
    ['kind', own.device.kind, theirs.device.kind],
    ['isa', own.device.isa, theirs.device.isa],
  ] as const;
  const current = facts.reduce((all, [key, old, now]) => withValue(all, key, old, now), text);
  return current === text ? undefined : current;
}

/** Replaces `"key": "old"` wherever the user has put it. */
function withValue(text: string, key: string, old: string, now: string): string {
  const literal = JSON.stringify(old).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replace(
    new RegExp(`("${key}"\\s*:\\s*)${literal}`),
    (_all, lead: string) => `${lead}${JSON.stringify(now)}`,
  );
}

/**
 * Ignores `$schema`, which says nothing about the kernel: older files have none, and a workspace may keep the schema
 * elsewhere.
 */
export function sameButForSchema(generated: string, mine: string): boolean {
  const [theirs, own] = [kernelJsonIn(generated), kernelJsonIn(mine)];
  return theirs !== undefined && isDeepStrictEqual({ ...theirs, $schema: '' }, { ...own, $schema: '' });
}

/** Undefined for a damaged file: stages that need it report the damage. */
function kernelJsonIn(path: string): KernelJson | undefined {
  try {
    return readJson(path, kernelJsonSchema, 'CONFIG_MISSING', '');
  } catch {
    return undefined;
  }
}

function sameContent(a: string, b: string): boolean {
  return statSync(b).isFile() && readRegularFile(a).equals(readRegularFile(b));
}

function report(
  { reproducer, written, updated, different, reset }: AdoptResult,
  followed: readonly string[],
  deps: Pick<Deps, 'report'>,
): void {
  const shown = relative(process.cwd(), reproducer) || '.';
  if (written.length > 0) deps.report.result(`${shown}: wrote ${written.join(', ')}`);
  if (updated.length > 0) deps.report.result(`${shown}: ${updated.join(', ')} names what is captured now`);
  if (followed.length > 0)
    deps.report.result(`${shown}: updated from pristine/, because you had not edited them: ${followed.join(', ')}`);
  if (reset.length > 0) deps.report.result(`${shown}: reset ${reset.join(', ')}`);
  if (different.length > 0) deps.report.result(`${shown}: kept, not as in pristine/: ${different.join(', ')}`);
  if (written.length + updated.length + followed.length + different.length + reset.length === 0)
    deps.report.result(`${shown}: nothing to do, as generated`);
}
