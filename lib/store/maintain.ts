import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { formatBytes, formatCount, table } from '../support/report';
import { runArchive } from '../archive/archive-program';
import type { StoreOptions } from './options';
import {
  collectedSchema,
  statsSchema,
  verifiedSchema,
  type Collected,
  type Stats,
  type StoreResult,
  type Verified,
} from './result';
import { findWorkspaceRoot } from '../support/workspace-root';

/** A store, and the workspace with the captures that it is kept for. */
interface Place {
  store: string;
  workspaceRoot: string;
  own: boolean;
  roots: string[];
}

/** Maintains the chunk store of a workspace, or one that several share. */
export async function store(options: StoreOptions, deps: Deps): Promise<StoreResult> {
  const place = placeOf(options);
  if (!existsSync(place.store)) {
    throw new KernloopError(
      'STORE_NOT_FOUND',
      `there is no chunk store at ${place.store}`,
      'name another store with --store; captures of up to 256 MiB need none, because their chunks are in chunks.pack',
    );
  }
  const result = await { verify, gc: collect, stats }[options.action](options, place, deps);
  return { ...result, store: place.store };
}

export function storeExitCode(result: StoreResult): number {
  if (result.event !== 'store_verified') return exitCodes.pass;
  return result.damaged_count + result.missing_count + result.unreadable.length === 0 ? exitCodes.pass : exitCodes.fail;
}

function placeOf(options: StoreOptions): Place {
  const workspaceRoot = findWorkspaceRoot(resolve(options.workspace));
  const usual = join(workspaceRoot, '.kernloop', 'store');
  const named = resolve(options.store ?? usual);
  const roots = [workspaceRoot, ...options.captureRoot.map((root) => resolve(root))];
  return { store: named, workspaceRoot, own: named === usual, roots };
}

const rootArguments = (place: Place): string[] => place.roots.flatMap((root) => ['--root', root]);

const wayBack =
  'to get a chunk back: capture again, `kernloop unpack` a packed copy of that capture, or name a store that has it';

async function verify(_options: StoreOptions, place: Place, deps: Deps): Promise<Verified> {
  const args = ['store-verify', place.store, ...rootArguments(place)];
  const found = await runArchive(args, 'store_verified', verifiedSchema, deps, [exitCodes.pass, exitCodes.fail]);
  const shown = (path: string): string => relative(place.workspaceRoot, path) || '.';
  for (const [what, problems] of [
    ['damaged', found.damaged],
    ['missing', found.missing],
  ] as const) {
    for (const { message, captures } of problems) {
      deps.report.result(`${what}: ${message}; needed by ${captures.map(shown).join(', ') || 'no capture'}`);
    }
  }
  for (const { message } of found.unreadable) deps.report.result(`unreadable: ${message}`);
  deps.report.result(
    `${formatCount(found.chunks)} chunks (${formatBytes(found.bytes_stored)}) for ${formatCount(found.captures)} captures: ` +
      `${formatCount(found.damaged_count)} damaged, ${formatCount(found.missing_count)} missing`,
  );
  if (found.damaged_count > 0) deps.report.result('remove the damaged files, or capture again, which replaces them');
  if (found.damaged_count + found.missing_count > 0) deps.report.result(wayBack);
  return found;
}

async function collect(options: StoreOptions, place: Place, deps: Deps): Promise<Collected> {
  if (!place.own && options.captureRoot.length === 0) {
    throw new KernloopError(
      'USAGE',
      `${place.store} is not this workspace's own store, and others may use it`,
      'name every other workspace that uses it with --capture-root, or this one again where there is none',
    );
  }
  const skip = options.keepCached ? [] : ['--skip', join(place.workspaceRoot, '.nx')];
  const grace = ['--grace-seconds', String(Math.round(options.graceHours * 3600))];
  const dry = options.dryRun ? ['--dry-run'] : [];
  const args = ['store-gc', place.store, ...rootArguments(place), ...skip, ...grace, ...dry];
  const done = await runArchive(args, 'store_collected', collectedSchema, deps);
  const amount = (chunks: number, bytes: number): string => `${formatCount(chunks)} chunks (${formatBytes(bytes)})`;
  deps.report.result(
    `${done.dry_run ? 'would remove' : 'removed'} ${amount(done.chunks_removed, done.bytes_removed)}; kept ` +
      `${amount(done.chunks_kept, done.bytes_kept)} of ${formatCount(done.captures)} captures, and ` +
      `${amount(done.chunks_recent, done.bytes_recent)} newer than ${options.graceHours} h`,
  );
  return done;
}

async function stats(_options: StoreOptions, place: Place, deps: Deps): Promise<Stats> {
  const args = ['store-stats', place.store, ...rootArguments(place)];
  const found = await runArchive(args, 'store_stats', statsSchema, deps);
  const rows = found.captures.map((use) => [
    relative(place.workspaceRoot, use.path) || '.',
    formatCount(use.chunks),
    formatBytes(use.bytes_stored),
    formatBytes(use.bytes_own),
    formatCount(use.chunks_missing),
  ]);
  if (rows.length > 0) {
    for (const line of table([['capture', 'chunks', 'stored', 'of its own', 'missing'], ...rows]))
      deps.report.result(line);
  }
  deps.report.result(
    `${formatCount(found.chunks)} chunks: ${formatBytes(found.bytes_stored)} stored, ${formatBytes(found.bytes_raw)} raw; ` +
      `shared ${formatBytes(found.bytes_shared)}, unused ${formatBytes(found.bytes_unused)}`,
  );
  for (const { message } of found.unreadable) deps.report.warn(message);
  return found;
}
