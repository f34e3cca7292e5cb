import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { captureFile, packFile } from '../archive/capture-files';
import { keptIn } from '../archive/kept-capture';
import { missingChunks, storesFor } from '../archive/stores';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { ReadOnce } from '../support/read-once';
import { readJson } from '../support/schema';

/**
 * Identifies captures of each reproducer that this workspace has lost: empty as long as it has lost none. A capture
 * that holds its chunks is the same wherever a cache restores it. One whose chunks are in a store is useless beside
 * another store, which shows only after it is restored: its chunks are missing. From then on its task has another
 * identity, so that the kernel is captured again here.
 */
export function lostCaptures(
  workspaceRoot: string,
  env: Environment,
  look = new ReadOnce(),
): ReadonlyMap<string, string> {
  const file = join(workspaceRoot, '.kernloop', 'lost.json');
  const known = readLost(file);
  const lost = new Map(known);
  for (const reproducer of reproducersIn(workspaceRoot, look)) {
    if (!capturesOf(reproducer, look).some((capture) => isLost(capture, env, look))) continue;
    lost.set(relative(workspaceRoot, reproducer).split(sep).join('/'), randomUUID());
  }
  if ([...lost].some(([name, token]) => known.get(name) !== token)) remember(file, lost);
  return lost;
}

/**
 * Identifies the captures from elsewhere by reproducer: no cached capture of the app is to be restored over one. Those that
 * are lost are in there, too.
 */
export function lostOrKept(
  workspaceRoot: string,
  env: Environment,
  look = new ReadOnce(),
): ReadonlyMap<string, string> {
  const values = new Map(lostCaptures(workspaceRoot, env, look));
  for (const reproducer of reproducersIn(workspaceRoot, look)) {
    const kept = keptIn(join(reproducer, 'capture'), look.isThere);
    const name = relative(workspaceRoot, reproducer).split(sep).join('/');
    if (kept !== null) values.set(name, `${values.get(name) ?? ''} kept ${kept.sha256}`);
  }
  return values;
}

const lostSchema = z.record(z.string(), z.string());

function readLost(file: string): ReadonlyMap<string, string> {
  if (!existsSync(file)) return new Map();
  try {
    return new Map(Object.entries(readJson(file, lostSchema, 'CONFIG_MISSING', '')));
  } catch (error) {
    // An unreadable list starts empty: lost captures are found again when their chunks are missing.
    if (error instanceof KernloopError) return new Map();
    throw error;
  }
}

/** If the list cannot be written, every command finds the chunks missing again, and no cached capture is used. */
function remember(file: string, lost: ReadonlyMap<string, string>): void {
  try {
    writeJson(file, Object.fromEntries([...lost].sort()));
  } catch {
    return;
  }
}

function isLost(capture: string, env: Environment, { isThere }: ReadOnce): boolean {
  if (isThere(packFile(capture))) return false;
  try {
    return missingChunks(capture, storesFor(capture, env)).length > 0;
  } catch (error) {
    // An unreadable capture counts as lost.
    if (error instanceof KernloopError) return true;
    throw error;
  }
}

/** Finds captures of apps at kernels/<app>/<kernel>. */
function reproducersIn(workspaceRoot: string, look: ReadOnce): string[] {
  return foldersIn(join(workspaceRoot, 'kernels'), look).flatMap((app) => foldersIn(app, look));
}

function capturesOf(reproducer: string, look: ReadOnce): string[] {
  const captures = [join(reproducer, 'capture'), ...foldersIn(join(reproducer, 'captures'), look)];
  return captures.filter((capture) => look.isThere(captureFile(capture)));
}

const foldersIn = (folder: string, look: ReadOnce): string[] =>
  look.foldersIn(folder).map((name) => join(folder, name));
