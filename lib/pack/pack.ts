import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { runArchive } from '../archive/archive-program';
import { captureFile, readCapture } from '../archive/capture-files';
import { storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { formatBytes, formatCount } from '../support/report';
import type { PackOptions } from './options';
import type { PackResult } from './result';

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
