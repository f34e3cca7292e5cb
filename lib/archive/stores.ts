import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chunksOf, packFile, readCapture } from './capture-files';
import type { Environment } from '../support/environment';
import { findWorkspaceRoot } from '../support/workspace-root';

/** Stores that may hold the chunks of a capture outside its pack, best first. */
export function storesFor(capture: string, env: Environment, named?: string): string[] {
  const stores = [named, env['KERNLOOP_STORE'], join(findWorkspaceRoot(resolve(capture)), '.kernloop', 'store')];
  return [...new Set(stores.flatMap((store) => (store ? [resolve(store)] : [])))];
}

/** Chunks that a capture needs and no store has; a capture with a pack holds its own. */
export function missingChunks(capture: string, stores: readonly string[]): string[] {
  if (existsSync(packFile(capture))) return [];
  return [...chunksOf(readCapture(capture))].filter((digest) => !stores.some((store) => hasChunk(store, digest)));
}

function hasChunk(store: string, digest: string): boolean {
  const path = join(store, digest.slice(0, 2), digest);
  return existsSync(path) || existsSync(`${path}.zst`);
}
