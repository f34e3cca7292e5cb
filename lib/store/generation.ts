import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { captureFile } from '../archive/capture-files';
import { KernloopError } from '../support/error';
import { sha256, writeFileAtomic } from '../support/files';
import { missingChunks, storesFor } from '../archive/stores';
import type { Environment } from '../support/environment';

/**
 * Names what a cached capture may rely on: this store, and how often chunks were found missing from it. It is an input of
 * every capture task, so that a cached capture is never restored beside a store that cannot replay it. A store that the user
 * names (KERNLOOP_STORE) is taken as shared: it keeps its name on every machine.
 */
export function storeGeneration(workspaceRoot: string, env: Environment): string {
  const shared = env['KERNLOOP_STORE'];
  const folder = shared ? join(workspaceRoot, '.kernloop') : join(workspaceRoot, '.kernloop', 'store');
  const counterFile = join(folder, 'generation');
  const count = readCount(counterFile);
  if (!someChunkIsMissing(workspaceRoot, env)) return `${storeName(folder, shared)}-${count}`;
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(counterFile, `${count + 1}\n`);
  return `${storeName(folder, shared)}-${count + 1}`;
}

function storeName(folder: string, shared: string | undefined): string {
  if (shared) return sha256(resolve(shared)).slice(0, 12);
  const path = join(folder, 'id');
  if (!existsSync(path)) writeFileAtomic(path, `${randomUUID()}\n`);
  return readFileSync(path, 'utf8').trim();
}

function readCount(path: string): number {
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) || 0 : 0;
}

function someChunkIsMissing(workspaceRoot: string, env: Environment): boolean {
  return capturesOf(workspaceRoot).some((capture) => {
    try {
      return missingChunks(capture, storesFor(capture, env)).length > 0;
    } catch (error) {
      // A capture that cannot be read cannot be relied on either.
      if (error instanceof KernloopError) return true;
      throw error;
    }
  });
}

/** The captures of all reproducers of the workspace. */
function capturesOf(workspaceRoot: string): string[] {
  const kernels = join(workspaceRoot, 'kernels');
  return foldersIn(kernels)
    .flatMap((app) => foldersIn(app))
    .flatMap((reproducer) => [join(reproducer, 'capture'), ...foldersIn(join(reproducer, 'captures'))])
    .filter((capture) => existsSync(captureFile(capture)));
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
