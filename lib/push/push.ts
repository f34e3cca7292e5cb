import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { captureFile, captureFiles, chunksOf, readCapture } from '../archive/capture-files';
import { pushedFile, type PushedCapture, type PushedJson } from '../archive/pushed-json';
import { storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { maxObjectBytes, type HttpStore } from '../remote/http-store';
import { remoteStore, remoteVariable } from '../remote/remote-store';
import { lackedBy, sendChunks } from '../remote/transfer';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { jsonText, sha256, writeFileAtomic } from '../support/files';
import { formatBytes, formatCount, table } from '../support/report';
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

/** Sends what the server lacks of the captures; the reference to them last, so that whoever has it can pull all of it. */
export async function push(options: PushOptions, deps: Deps): Promise<PushResult> {
  const { reproducer, held } = heldCaptures(options.capture);
  const remote = await remoteStore(options.remote, reproducer, deps);
  if (remote === undefined) {
    throw new KernloopError(
      'USAGE',
      'no server was named',
      `give --remote URL, set ${remoteVariable}, or write "store": { "kind": "http", "url": … } into kernloop.json`,
    );
  }
  try {
    describe(held, remote, deps);
    return await pushTo(remote, held, reproducer, options, deps);
  } finally {
    await remote.close();
  }
}

async function pushTo(
  remote: HttpStore,
  held: readonly Held[],
  reproducer: Reproducer | undefined,
  options: PushOptions,
  deps: Deps,
): Promise<PushResult> {
  const pushed: PushedJson = { schema: 'kernloop.pushed/1', captures: held.map(entryOf) };
  const text = jsonText(pushed);
  const reference = sha256(text);
  const seen = new Set<string>();
  let [chunksSent, bytesSent] = [0, 0];
  for (const { path, chunks } of held) {
    const fresh = chunks.filter((digest) => !seen.has(digest));
    fresh.forEach((digest) => seen.add(digest));
    const lacking = await lackedBy(remote, fresh);
    chunksSent += lacking.length;
    if (options.dryRun) continue;
    bytesSent += (await sendChunks(path, lacking, storesFor(path, deps.env, options.store), remote, deps)).bytes;
  }
  if (!options.dryRun) {
    for (const content of [...held.flatMap(({ files }) => files.map((file) => file.content)), Buffer.from(text)]) {
      const digest = sha256(content);
      if (await remote.has(digest)) continue;
      await remote.put(digest, content);
      bytesSent += content.length;
    }
    if (reproducer !== undefined) writeFileAtomic(join(reproducer.root, pushedFile), text);
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
        ? `kernloop pull ${reference} --to <folder>`
        : `${join(reproducer.root, pushedFile)}: commit it, and \`kernloop pull\` finds the capture wherever the reproducer is`,
    );
  }
  return {
    remote: remote.address.url,
    reference,
    captures: held.map(({ folder, kernel, chunks, regions, regionBytes }) => ({
      ...{ folder, kernel, chunks: chunks.length, regions, regionBytes },
    })),
    ...{ chunksSent, bytesSent, dryRun: options.dryRun },
  };
}

/** What leaves this machine, before it does. */
function describe(held: readonly Held[], remote: HttpStore, deps: Deps): void {
  deps.report.info(`to ${remote.address.url}, where everybody who may read there can read it:`);
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

/** A folder with capture.json is a capture; any other is in a reproducer. */
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
  throw new KernloopError(
    'CAPTURE_INVALID',
    `${path} has ${formatBytes(size)}; the most that is sent as one is ${formatBytes(maxObjectBytes)}`,
    'pack it (`kernloop pack`), and copy the file',
  );
}

const entryOf = ({ folder, kernel, chunks, files }: Held): PushedCapture => ({
  ...{ folder, kernel, chunks: chunks.length },
  files: files.map(({ name, content }) => ({ name, sha256: sha256(content), bytes: content.length })),
});
