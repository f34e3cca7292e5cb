import { existsSync, realpathSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { resolveInside, writeFileAtomic, writeJson } from '../support/files';
import { isRunning } from '../support/leftovers';
import { readJson } from '../support/schema';
import { tunePaths } from './paths';
import { readRegularFile } from '../support/regular-file';

/** A file of the user's before and after `--apply`. */
export interface Change {
  name: string;
  before: string;
  after: string;
}

const applyingSchema = z.object({
  schema: z.literal('kernloop.tune-applying/1'),
  host: z.string(),
  pid: z.int(),
  changes: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
});

/** Stores the files as they were in `applying.json` until the verdict, so that a killed run can be undone. */
export function beginApplying(root: string, changes: readonly Change[]): void {
  const { applying } = tunePaths(root);
  if (existsSync(applying)) throw stillApplying(root);
  writeJson(applying, { schema: 'kernloop.tune-applying/1', host: hostname(), pid: process.pid, changes });
}

export function writeChanges(root: string, changes: readonly Change[]): void {
  for (const { name, after } of changes) writeFileAtomic(placeOf(root, name), after);
}

/** Keeps the changes: after the verdict nothing needs restoring. */
export function keepChanges(root: string): void {
  rmSync(tunePaths(root).applying, { force: true });
}

/** Restores files that still are what tune wrote. A changed file has an edit of the user's: it stays, and is named. */
export function takeBack(root: string, changes: readonly Change[]): string[] {
  const changed = changedSince(root, changes);
  for (const { name, before, after } of changes)
    if (contentOf(root, name) === after) writeFileAtomic(placeOf(root, name), before);
  keepChanges(root);
  return changed;
}

/** Files that are neither what tune wrote nor what they were before. */
export const changedSince = (root: string, changes: readonly Change[]): string[] =>
  changes
    .filter(({ name, before, after }) => ![before, after].includes(contentOf(root, name) ?? ''))
    .map(({ name }) => name);

/** Runs before a search: an earlier one that was killed while judging left a reproducer without a verdict. */
export function takeBackKilledApply(root: string, deps: Pick<Deps, 'report'>): void {
  const applying = readApplying(root);
  if (applying === null) return;
  if (!isDead(applying)) {
    deps.report.warn(describe(root, applying));
    return;
  }
  const kept = takeBack(root, applying.changes);
  const names = applying.changes.map(({ name }) => name).filter((name) => !kept.includes(name));
  if (names.length > 0)
    deps.report.warn(`${names.join(', ')}: taken back; a \`tune --apply\` was killed before its verdict`);
  if (kept.length > 0)
    deps.report.warn(
      `${kept.join(', ')}: left as it is, since it was changed after the killed \`tune --apply\`; ${undoHint}`,
    );
}

/** Warns in every other command that works on this reproducer. */
export function warnOfKilledApply(root: string, deps: Pick<Deps, 'report'>): void {
  const applying = readApplying(root);
  if (applying !== null) deps.report.warn(describe(root, applying));
}

export const undoHint = '`patch -R -p1 < build/tune/best.patch` in the reproducer takes out what tune wrote';

type Applying = z.output<typeof applyingSchema>;

function readApplying(root: string): Applying | null {
  const { applying } = tunePaths(root);
  if (!existsSync(applying)) return null;
  return readJson(applying, applyingSchema, 'FILE_UNREADABLE', `remove it; ${undoHint}`);
}

const isDead = ({ host, pid }: Applying): boolean => host === hostname() && !isRunning(pid);

function describe(root: string, applying: Applying): string {
  const names = applying.changes.map(({ name }) => name).join(', ');
  const file = relative(root, tunePaths(root).applying);
  return isDead(applying)
    ? `${names}: as a \`tune --apply\` wrote it that was killed before its verdict; the next \`kernloop tune\` takes it back, and without ${file} it stays`
    : `${names}: as \`tune --apply\` wrote it, without a verdict so far (process ${applying.pid} of ${applying.host}); if that process was killed, ${undoHint}, then remove ${file}`;
}

function stillApplying(root: string): KernloopError {
  return new KernloopError(
    'TUNE_NOT_APPLIED',
    `another \`tune --apply\` is at work in ${root}, or was killed`,
    `wait for it; if there is none, ${undoHint}, then remove ${tunePaths(root).applying}`,
  );
}

/** Resolves links, so that their target is written and the link stays. */
const placeOf = (root: string, name: string): string => realpathSync(pathOf(root, name));

const pathOf = (root: string, name: string): string => resolveInside(root, name, 'build/tune/applying.json');

function contentOf(root: string, name: string): string | null {
  const path = pathOf(root, name);
  return existsSync(path) ? readRegularFile(path, 'utf8') : null;
}
