import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { captureFile, readCapture } from '../archive/capture-files';
import { openReproducer } from '../reproducer/reproducer';
import type { Deps } from '../deps/deps';
import { formatBytes, formatCount } from '../support/report';
import { runArchive } from './archive-program';
import type { PackOptions, UnpackOptions } from './options';
import { outcomes, type PackResult, type UnpackResult } from './result';
import { storesFor } from '../archive/stores';
import { kernelFile } from '../support/project-file-names';

const packedExtension = '.klcap';

const packedSchema = z.object({
  event: z.literal('packed'),
  capture_sha256: z.string(),
  chunks: z.number(),
  bytes: z.number(),
});

/** Makes one file of a capture, with every chunk that it needs. */
export async function pack(options: PackOptions, deps: Deps): Promise<PackResult> {
  const { capture, name } = namedCapture(options.capture);
  const file = resolve(options.output ?? `${name}${packedExtension}`);
  const stores = storesFor(capture, deps.env, options.store).flatMap((store) => ['--store', store]);
  const args = ['pack', capture, '--output', file, ...stores];
  const packed = await runArchive(args, 'packed', packedSchema, deps);
  deps.report.result(`${file}: ${formatBytes(packed.bytes)}, ${formatCount(packed.chunks)} chunks`);
  return { file, captureSha256: packed.capture_sha256, chunks: packed.chunks, bytes: packed.bytes };
}

/** A folder with capture.json is a capture; any other is in a reproducer. */
function namedCapture(folder: string): { capture: string; name: string } {
  const path = resolve(folder);
  if (existsSync(captureFile(path))) return { capture: path, name: baseName(readCapture(path).kernel.name) };
  const reproducer = openReproducer(folder);
  return { capture: reproducer.capture, name: basename(reproducer.root) };
}

/** "ns::scale<float>(float*, int)" is a file called scale. */
function baseName(kernel: string): string {
  const [name = ''] = kernel.split(/[<(]/);
  return /[A-Za-z_]\w*$/.exec(name.trim())?.[0] ?? 'kernel';
}

const unpackedSchema = z.object({
  event: z.literal('unpacked'),
  outcome: z.enum(outcomes),
  capture_sha256: z.string(),
  chunks: z.number(),
  bytes: z.number(),
});

const outcomeWords = {
  written: 'unpacked and verified',
  unchanged: 'was there already, complete',
  repaired: 'was there already, and has all its chunks now',
} as const satisfies Record<UnpackResult['outcome'], string>;

/** Makes a capture of a packed one; every byte is verified before it is there. */
export async function unpack(options: UnpackOptions, deps: Deps): Promise<UnpackResult> {
  const { capture, symbol } = unpackTarget(options);
  const expected = symbol === undefined ? [] : ['--symbol', symbol];
  const args = ['unpack', resolve(options.file), '--output', capture, ...expected];
  const unpacked = await runArchive(args, 'unpacked', unpackedSchema, deps);
  deps.report.result(`${capture}: ${outcomeWords[unpacked.outcome]}, ${formatCount(unpacked.chunks)} chunks`);
  return { capture, outcome: unpacked.outcome, captureSha256: unpacked.capture_sha256, chunks: unpacked.chunks };
}

/** A reproducer takes captures of its own kernel only. */
function unpackTarget({ file, to }: UnpackOptions): { capture: string; symbol?: string } {
  const folder = resolve(to);
  if (existsSync(join(folder, kernelFile))) {
    const { capture, config } = openReproducer(folder);
    return { capture, symbol: config.symbol };
  }
  const takesFolderItself = to !== '.' || readdirSync(folder).length === 0;
  return { capture: takesFolderItself ? folder : join(folder, basename(file, extname(file))) };
}
