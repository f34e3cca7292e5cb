import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recipientsFrom } from '../age/age';
import { captureFile, captureFiles, chunksOf, readCapture } from '../archive/capture-files';
import {
  pushedFile,
  type EncryptedPushedJson,
  type PushedCapture,
  type PushedIndex,
  type PushedJson,
} from '../archive/pushed-json';
import { storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { requireAccepted } from '../remote/accepted';
import { EncryptedSink } from '../remote/encrypted';
import { maxObjectBytes, type HttpStore } from '../remote/http-store';
import { plainSink } from '../remote/plain-sink';
import { remoteStore, remoteVariable } from '../remote/remote-store';
import { lackedBy, sendChunks, sendContent } from '../remote/transfer';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { jsonText, sha256 } from '../support/files';
import { requireOwnFile, writeOwnJson, type OwnFormat } from '../support/output-file';
import { formatBytes, formatCount, table } from '../support/report';
import { findWorkspaceRoot } from '../support/workspace-root';
import type { PushOptions } from './options';
import type { PushResult } from './result';

interface Held {
  path: string;
  folder: string;
  kernel: string;
  chunks: string[];
  regions: number;
  regionBytes: number;
  files: { name: PushedCapture['files'][number]['name']; content: Buffer }[];
}

const pushedFormats: readonly OwnFormat[] = [{ schema: 'kernloop.pushed' }, { schema: 'kernloop.pushed-encrypted' }];

/**
 * Sends the parts of captures that the server lacks. The reference to them is sent last, so that whoever has it can
 * pull everything.
 */
export async function push(options: PushOptions, deps: Deps): Promise<PushResult> {
  const { reproducer, held } = heldCaptures(options.capture);
  if (reproducer !== undefined && !options.dryRun) requireOwnFile(join(reproducer.root, pushedFile), ...pushedFormats);
  const remote = await remoteStore(options.remote, reproducer, deps);
  if (remote === undefined) {
    throw new KernloopError(
      'USAGE',
      'no server was named',
      `give --remote URL, set ${remoteVariable}, or write "store": { "kind": "http", "url": … } into kernloop.json`,
    );
  }
  const root = findWorkspaceRoot(resolve(options.capture));
  const recipients = recipientsFrom(options.encrypt, deps.env);
  try {
    describe(held, remote, recipients, deps);
    if (recipients === undefined && !options.dryRun) requireAccepted(remote.address, options.accept, root);
    const encrypting = recipients === undefined ? undefined : EncryptedSink.open(remote, recipients, root, deps);
    return await pushTo(remote, encrypting, held, reproducer, options, deps);
  } finally {
    await remote.close();
  }
}

async function pushTo(
  remote: HttpStore,
  encrypting: EncryptedSink | undefined,
  held: readonly Held[],
  reproducer: Reproducer | undefined,
  options: PushOptions,
  deps: Deps,
): Promise<PushResult> {
  const sink = encrypting ?? plainSink(remote);
  const seen = new Set<string>();
  let [chunksSent, bytesSent] = [0, 0];
  for (const { path, chunks } of held) {
    const fresh = chunks.filter((digest) => !seen.has(digest));
    fresh.forEach((digest) => seen.add(digest));
    const lacking = await lackedBy(sink, fresh);
    chunksSent += lacking.length;
    if (options.dryRun) continue;
    bytesSent += (await sendChunks(path, lacking, storesFor(path, deps.env, options.store), sink, deps)).bytes;
  }
  const captures = held.map(entryOf);
  const plain: PushedJson = { schema: 'kernloop.pushed/1', captures };
  let reference: string | undefined = encrypting === undefined ? sha256(jsonText(plain)) : undefined;
  if (!options.dryRun) {
    const send = async (content: Buffer): Promise<void> => {
      bytesSent += await sendContent(content, sha256(content), sink);
    };
    for (const { content } of held.flatMap(({ files }) => files)) await send(content);
    let pushed: PushedJson | EncryptedPushedJson = plain;
    if (encrypting === undefined) {
      await send(Buffer.from(jsonText(plain)));
    } else {
      const index = Buffer.from(jsonText(indexOf(captures, seen, encrypting)));
      if (index.length > maxObjectBytes) throw tooLarge('the index of what is pushed', index.length);
      await send(index);
      reference = encrypting.storedAs(sha256(index));
      pushed = { schema: 'kernloop.pushed-encrypted/1', format: 'age', index: reference };
    }
    if (reproducer !== undefined) writeOwnJson(join(reproducer.root, pushedFile), pushed, ...pushedFormats);
  }
  const total = held.reduce((sum, { chunks }) => sum + chunks.length, 0);
  deps.report.result(
    options.dryRun
      ? `would send ${formatCount(chunksSent)} of ${formatCount(total)} chunks to ${remote.address.url}`
      : `${remote.address.url}: sent ${formatCount(chunksSent)} of ${formatCount(total)} chunks, ${formatBytes(bytesSent)}; the rest was there`,
  );
  if (!options.dryRun) {
    deps.report.result(
      reproducer === undefined
        ? `kernloop pull ${reference ?? ''} --to <folder>`
        : `${join(reproducer.root, pushedFile)}: commit it, and \`kernloop pull\` finds the capture wherever the reproducer is`,
    );
  }
  return {
    remote: remote.address.url,
    reference: reference ?? null,
    encrypted: encrypting !== undefined,
    captures: held.map(({ folder, kernel, chunks, regions, regionBytes }) => ({
      ...{ folder, kernel, chunks: chunks.length, regions, region_bytes: regionBytes },
    })),
    ...{ chunks_sent: chunksSent, bytes_sent: bytesSent, dry_run: options.dryRun },
  };
}

/** Reports the data that will leave this machine before it is sent. */
function describe(held: readonly Held[], remote: HttpStore, recipients: string | undefined, deps: Deps): void {
  deps.report.info(
    recipients === undefined
      ? `to ${remote.address.url}, where everybody who may read there can read it:`
      : `to ${remote.address.url}, encrypted for the recipients in ${recipients}:`,
  );
  const rows = held.map(({ folder, kernel, regions, regionBytes }) => [
    folder,
    kernel,
    `${formatCount(regions)} regions, ${formatBytes(regionBytes)}`,
  ]);
  for (const line of table([
    ['capture', 'kernel', 'memory of the program, before and after (inputs, weights, results)'],
    ...rows,
  ]))
    deps.report.info(line);
  if (held.some(({ files }) => files.some(({ name }) => name === 'nvrtc.json' || name === 'triton.json')))
    deps.report.info('and the source of kernels that were compiled at run time');
}

/** A folder with capture.json is a capture; any other folder is in a reproducer. */
function heldCaptures(folder: string): { reproducer: Reproducer | undefined; held: Held[] } {
  const path = resolve(folder);
  if (existsSync(captureFile(path))) return { reproducer: undefined, held: [heldIn(path, 'capture')] };
  const reproducer = openReproducer(folder);
  const further = join(reproducer.root, 'captures');
  const numbers = existsSync(further) ? readdirSync(further).filter((name) => /^[1-9]\d{0,9}$/.test(name)) : [];
  numbers.sort((one, other) => Number(one) - Number(other));
  const folders = ['capture', ...numbers.map((number) => `captures/${number}`)];
  return { reproducer, held: folders.map((shown) => heldIn(join(reproducer.root, shown), shown)) };
}

function heldIn(path: string, folder: string): Held {
  const capture = readCapture(path);
  const names = captureFiles.filter((name) => name !== 'chunks.pack' && existsSync(join(path, name)));
  return {
    ...{ path, folder, kernel: capture.kernel.name, chunks: [...chunksOf(capture)], regions: capture.regions.length },
    regionBytes: capture.regions.reduce((sum, { size }) => sum + size, 0),
    files: names.map((name) => ({ name: name as Held['files'][number]['name'], content: smallFile(join(path, name)) })),
  };
}

function smallFile(path: string): Buffer {
  const { size } = statSync(path);
  if (size <= maxObjectBytes) return readFileSync(path);
  throw tooLarge(path, size);
}

function tooLarge(what: string, bytes: number): KernloopError {
  return new KernloopError(
    'CAPTURE_INVALID',
    `${what} has ${formatBytes(bytes)}; the most that is sent as one is ${formatBytes(maxObjectBytes)}`,
    'pack it (`kernloop pack`), and copy the file',
  );
}

function indexOf(captures: readonly PushedCapture[], chunks: ReadonlySet<string>, sink: EncryptedSink): PushedIndex {
  const contents = new Set([...chunks, ...captures.flatMap(({ files }) => files.map(({ sha256 }) => sha256))]);
  const objects = Object.fromEntries([...contents].map((digest) => [digest, sink.storedAs(digest)]));
  return { schema: 'kernloop.pushed-index/1', captures: [...captures], objects };
}

const entryOf = ({ folder, kernel, chunks, files }: Held): PushedCapture => ({
  ...{ folder, kernel, chunks: chunks.length },
  files: files.map(({ name, content }) => ({ name, sha256: sha256(content), bytes: content.length })),
});
