import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { encryptFile, recipientsFrom } from '../age/age';
import { runArchive } from '../archive/archive-program';
import { captureFile, readCapture } from '../archive/capture-files';
import { storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { partialOf, removeDeadPartials } from '../support/leftovers';
import { placeOutput } from '../support/output-file';
import { formatBytes, formatCount } from '../support/report';
import type { PackOptions } from './options';
import type { PackResult } from './result';

const packedExtension = '.klcap';

export const packedSchema = z.object({
  event: z.literal('packed'),
  capture_sha256: z.string(),
  chunks: z.number(),
  bytes: z.number(),
});

/** Packs a capture into one file, with every chunk that it needs. */
export async function pack(options: PackOptions, deps: Deps): Promise<PackResult> {
  const { capture, name } = namedCapture(options.capture);
  const recipients = recipientsFrom(options.encrypt, deps.env);
  const file = resolve(options.output ?? `${name}${packedExtension}${recipients === undefined ? '' : '.age'}`);
  const stores = storesFor(capture, deps.env, options.store).flatMap((store) => ['--store', store]);
  const packTo = (output: string) =>
    runArchive(['pack', capture, '--output', output, ...stores], 'packed', packedSchema, deps);
  const packed =
    recipients === undefined ? await packTo(file) : await encrypted(capture, file, recipients, packTo, deps);
  deps.report.result(`${file}: ${formatBytes(packed.bytes)}, ${formatCount(packed.chunks)} chunks`);
  return {
    file,
    capture_sha256: packed.capture_sha256,
    chunks: packed.chunks,
    bytes: packed.bytes,
    encrypted: recipients !== undefined,
  };
}

/** Writes the unencrypted pack beside the capture, which is unencrypted as well, never in the folder of the result. */
async function encrypted<P>(
  capture: string,
  file: string,
  recipients: string,
  packTo: (output: string) => Promise<P>,
  deps: Deps,
): Promise<P & { bytes: number }> {
  const plain = `${capture}.pack`;
  const [folder, partial] = [plain, file].map((path) => {
    removeDeadPartials(path);
    return partialOf(path);
  }) as [string, string];
  try {
    mkdirSync(folder);
    const inside = join(folder, 'packed');
    const packed = await packTo(inside);
    await encryptFile(inside, partial, recipients, deps);
    placeOutput(partial, file, deps.env);
    return { ...packed, bytes: statSync(file).size };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(partial, { force: true });
  }
}

/** A folder with capture.json is a capture; any other folder is in a reproducer. */
function namedCapture(folder: string): { capture: string; name: string } {
  const path = resolve(folder);
  if (existsSync(captureFile(path))) return { capture: path, name: baseName(readCapture(path).kernel.name) };
  const reproducer = openReproducer(folder);
  return { capture: reproducer.capture, name: basename(reproducer.root) };
}

/** File name for a kernel: `scale` for "ns::scale<float>(float*, int)". */
function baseName(kernel: string): string {
  const [name = ''] = kernel.split(/[<(]/);
  return /[A-Za-z_]\w*$/.exec(name.trim())?.[0] ?? 'kernel';
}
