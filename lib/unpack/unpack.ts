import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { runArchive } from '../archive/archive-program';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { kernelFile } from '../support/project-file-names';
import { formatCount } from '../support/report';
import type { UnpackOptions } from './options';
import { outcomes, type UnpackResult } from './result';

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
