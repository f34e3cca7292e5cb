import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runArchive } from '../archive/archive-program';
import type { Deps } from '../deps/deps';
import { inOrder } from '../support/in-order';
import { formatCount } from '../support/format';
import { tellingWhatIsKept, throwIfInterrupted } from '../support/interrupted';
import { removeOldFolders } from '../support/leftovers';
import { ChunkExport } from './chunk-export';
import type { Sink, Source } from './content';

/** Concurrent requests; a chunk has 4 MiB and is in memory meanwhile. */
const requestsAtOnce = 8;
/** Chunks fetched before they go into the store; they wait raw in a temporary folder. */
const batchChunks = 64;
/** Prefix of folders in the system's temporary folder. */
export const folderPrefix = 'kernloop-chunks-';

export const importedSchema = z.object({ event: z.literal('imported'), chunks: z.number(), bytes_added: z.number() });

export interface Transferred {
  chunks: number;
  /** Bytes sent over the network. */
  bytes: number;
}

/** Chunks that the server lacks. */
export async function lackedBy(sink: Sink, digests: readonly string[]): Promise<string[]> {
  const lacking: string[] = [];
  for await (const { digest, has } of inOrder(digests, 2 * requestsAtOnce, async (digest) => ({
    digest,
    has: await sink.has(digest),
  })))
    if (!has) lacking.push(digest);
  return lacking;
}

/** Sends chunks of a capture, read and verified from its pack or the stores. */
export async function sendChunks(
  capture: string,
  digests: readonly string[],
  stores: readonly string[],
  sink: Sink,
  deps: Deps,
): Promise<Transferred> {
  const told = new Told('sent', digests.length, deps);
  if (digests.length === 0) return told.all;
  const kept = (): string => `the server has ${counted(told.all.chunks, digests.length)}`;
  const send = async (folder: string): Promise<void> => {
    const exporting = new ChunkExport(capture, stores, folder, deps);
    try {
      for await (const bytes of inOrder(digests, requestsAtOnce, async (digest) => {
        throwIfInterrupted(deps.signal);
        const path = await exporting.file(digest);
        const sent = await sink.putFile(digest, path);
        rmSync(path);
        return sent;
      }))
        told.one(bytes);
    } catch (error) {
      await exporting.end().catch(() => undefined);
      throw error;
    }
    await exporting.end();
  };
  await tellingWhatIsKept(kept, () => inFolder(deps, send));
  return told.all;
}

/** Fetches chunks into a store. Each is stored whole and verified, or not at all. */
export async function fetchChunks(
  digests: readonly string[],
  store: string,
  source: Source,
  deps: Deps,
): Promise<Transferred> {
  const told = new Told('fetched', digests.length, deps);
  let imported = 0;
  const kept = (): string => `${store} has ${counted(imported, digests.length)}`;
  await inBatches(digests, kept, deps, async (batch, folder) => {
    for await (const bytes of inOrder(batch, requestsAtOnce, async (digest) => {
      const content = await source.get(digest);
      writeFileSync(join(folder, digest), content);
      return content.length;
    }))
      told.one(bytes);
    await runArchive(['import-chunks', folder, '--output', store], 'imported', importedSchema, deps);
    imported += batch.length;
  });
  return told.all;
}

const counted = (done: number, all: number): string =>
  `at least ${formatCount(done)} of the ${formatCount(all)} chunks that it lacked`;

async function inBatches(
  digests: readonly string[],
  kept: () => string,
  deps: Deps,
  work: (batch: readonly string[], folder: string) => Promise<void>,
): Promise<void> {
  await tellingWhatIsKept(kept, () => eachBatch(digests, deps, work));
}

async function eachBatch(
  digests: readonly string[],
  deps: Deps,
  work: (batch: readonly string[], folder: string) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < digests.length; at += batchChunks) {
    throwIfInterrupted(deps.signal);
    await inFolder(deps, (folder) => work(digests.slice(at, at + batchChunks), folder));
  }
}

/** Runs `work` with a temporary folder. */
async function inFolder(deps: Deps, work: (folder: string) => Promise<void>): Promise<void> {
  removeOldFolders(tmpdir(), folderPrefix, deps.clock.now());
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reports progress. */
class Told {
  readonly all: Transferred = { chunks: 0, bytes: 0 };

  constructor(
    private readonly what: string,
    private readonly total: number,
    private readonly deps: Deps,
  ) {}

  one(bytes: number): void {
    this.all.chunks += 1;
    this.all.bytes += bytes;
    const { chunks: done, bytes: all } = this.all;
    const isDone = done === this.total;
    this.deps.report.progress?.(
      isDone ? null : { what: this.what, done, total: this.total, unit: 'chunks', bytes: all },
    );
  }
}

/** Sends small content from memory, unless the server has it. */
export async function sendContent(content: Buffer, digest: string, sink: Sink): Promise<number> {
  if (await sink.has(digest)) return 0;
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  try {
    writeFileSync(join(folder, digest), content);
    return await sink.putFile(digest, join(folder, digest));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
