import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { captureFile, chunksOf, readCapture } from '../archive/capture-files';
import { placeCapture, stagingOf } from '../archive/place-capture';
import { anyPushedJsonSchema, pushedFile, type AnyPushedJson, type PushedCapture } from '../archive/pushed-json';
import { missingChunks, storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import type { Source } from '../remote/content';
import { openPushed, pushedAs } from '../remote/pushed';
import { remoteStore, remoteVariable } from '../remote/remote-store';
import { fetchChunks } from '../remote/transfer';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { kernelFile } from '../support/project-file-names';
import { formatBytes, formatCount } from '../support/report';
import { readJson } from '../support/schema';
import type { PullOptions } from './options';
import type { PullResult } from './result';

type Pulled = PullResult['captures'][number] & { bytes: number };

/**
 * Fetches captures: files into a temporary folder beside the target, chunks into the store. The capture gets its name
 * when it is complete.
 */
export async function pull(options: PullOptions, deps: Deps): Promise<PullResult> {
  const isReference = /^[0-9a-f]{64}$/.test(options.source);
  const reproducer = reproducerFor(options, isReference);
  const remote = await remoteStore(options.remote, reproducer, deps);
  if (remote === undefined) {
    throw new KernloopError(
      'USAGE',
      'no server was named',
      `give --remote URL, set ${remoteVariable}, or write "store": { "kind": "http", "url": … } into kernloop.json`,
    );
  }
  try {
    const { captures, source } = isReference
      ? await pushedAs(options.source, remote, deps)
      : await openPushed(readPushed(reproducer), remote, deps);
    const root = reproducer?.root ?? resolve(options.to ?? '.');
    const pulled: Pulled[] = [];
    for (const entry of captures) {
      // Without a reproducer, a single capture becomes the folder itself.
      const target = reproducer === undefined && captures.length === 1 ? root : join(root, entry.folder);
      pulled.push(await pullCapture(entry, target, reproducer, source, options, deps));
    }
    const bytesFetched = pulled.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { capture, outcome, chunks, chunks_fetched: chunksFetched } of pulled)
      deps.report.result(
        `${capture}: ${outcomeWords[outcome]}, ${formatCount(chunksFetched)} of ${formatCount(chunks)} chunks fetched`,
      );
    deps.report.info(`${formatBytes(bytesFetched)} from ${remote.address.url}`);
    return {
      remote: remote.address.url,
      captures: pulled.map(({ capture, outcome, chunks, chunks_fetched }) => ({
        capture,
        outcome,
        chunks,
        chunks_fetched,
      })),
      bytes_fetched: bytesFetched,
    };
  } finally {
    await remote.close();
  }
}

const outcomeWords = {
  written: 'pulled and verified',
  unchanged: 'was there already, complete',
  completed: 'was there already, and has all its chunks now',
} as const satisfies Record<PullResult['captures'][number]['outcome'], string>;

function reproducerFor({ source, to }: PullOptions, isReference: boolean): Reproducer | undefined {
  if (!isReference) {
    if (to === undefined) return openReproducer(source);
    if (/^[0-9a-fA-F]+$/.test(source)) {
      throw new KernloopError(
        'USAGE',
        `"${source}" is no reference`,
        'give all 64 digits that `kernloop push` printed',
      );
    }
    throw new KernloopError('USAGE', '--to goes with a reference, not with a reproducer', 'leave it out');
  }
  const folder = resolve(to ?? '.');
  if (existsSync(join(folder, kernelFile))) return openReproducer(folder);
  if (to !== undefined) return undefined;
  throw new KernloopError(
    'USAGE',
    'where should it go?',
    'give --to <folder>, or start it in the folder of a reproducer',
  );
}

function readPushed(reproducer: Reproducer | undefined): AnyPushedJson {
  if (reproducer === undefined) throw new Error('a source that is no reference is a reproducer');
  return readJson(
    join(reproducer.root, pushedFile),
    anyPushedJsonSchema,
    'CAPTURE_MISSING',
    'its captures were never pushed: `kernloop push` where they are, and commit pushed.json',
  );
}

async function pullCapture(
  entry: PushedCapture,
  target: string,
  reproducer: Reproducer | undefined,
  source: Source,
  options: PullOptions,
  deps: Deps,
): Promise<Pulled> {
  const isThere = existsSync(captureFile(target));
  if (isThere) requireSame(entry, target);
  const partial = stagingOf(target);
  try {
    const folder = isThere ? target : await fetchFiles(entry, partial, source);
    const capture = readCapture(folder);
    requireKernel(capture.kernel, reproducer, entry.folder);
    const stores = storesFor(dirname(target), deps.env, options.store);
    const [store = ''] = stores;
    const missing = missingChunks(folder, stores);
    const { chunks: chunksFetched, bytes } = await fetchChunks(missing, store, source, deps);
    if (!isThere) placeCapture(partial, target);
    const outcome = !isThere ? 'written' : chunksFetched > 0 ? 'completed' : 'unchanged';
    const fileBytes = isThere ? 0 : entry.files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      capture: target,
      outcome,
      chunks: chunksOf(capture).size,
      chunks_fetched: chunksFetched,
      bytes: bytes + fileBytes,
    };
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function fetchFiles({ files, folder }: PushedCapture, into: string, source: Source): Promise<string> {
  if (!files.some(({ name }) => name === 'capture.json')) {
    throw new KernloopError('CAPTURE_INVALID', `${pushedFile} names no capture.json of ${folder}`, 'push it again');
  }
  mkdirSync(into, { recursive: true });
  for (const { name, sha256 } of files) writeFileSync(join(into, name), await source.get(sha256));
  return into;
}

/** Refuses to replace another capture: it is somebody's work. */
function requireSame({ files, folder }: PushedCapture, target: string): void {
  const pushed = files.find(({ name }) => name === 'capture.json')?.sha256;
  if (sha256OfFile(captureFile(target)) === pushed) return;
  throw new KernloopError(
    'TARGET_EXISTS',
    `${target} holds another capture than the ${folder} that was pushed`,
    'move it away, or push this one',
  );
}

/** Like `unpack`, refuses another kernel: kernel.json has the arguments and roles of its own. */
function requireKernel(
  { symbol, name }: { symbol: string; name: string },
  reproducer: Reproducer | undefined,
  folder: string,
) {
  if (reproducer === undefined || folder !== 'capture') return;
  if (symbol === reproducer.config.symbol || name === reproducer.config.demangled) return;
  throw new KernloopError(
    'CAPTURE_MISMATCH',
    `what was pushed is of ${name}, but the kernel of this reproducer is ${reproducer.config.demangled}`,
    'pull it into the reproducer that it was pushed from',
  );
}
