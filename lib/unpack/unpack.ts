import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { decryptFile, isEncrypted } from '../age/age';
import { runArchive } from '../archive/archive-program';
import { keepCapture } from '../archive/kept-capture';
import { placeCapture, stagingOf } from '../archive/place-capture';
import type { Deps } from '../deps/deps';
import { openReproducer } from '../reproducer/reproducer';
import { partialOf, removeAllDeadPartials, removeDeadPartials } from '../support/leftovers';
import { kernelFile } from '../support/project-file-names';
import { formatCount } from '../support/report';
import { besideProject } from './beside-project';
import { folderName } from './folder-name';
import { nextStep } from './next-step';
import type { UnpackOptions } from './options';
import { outcomes, type UnpackResult } from './result';

export const unpackedSchema = z.object({
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

/** Unpacks a capture; every byte is verified before the capture exists. */
export async function unpack(options: UnpackOptions, deps: Deps): Promise<UnpackResult> {
  const { capture, symbol } = unpackTarget(options);
  const expected = symbol === undefined ? [] : ['--symbol', symbol];
  const unpackTo = async (target: string) => {
    const unpackFrom = (file: string) =>
      runArchive(['unpack', file, '--output', target, ...expected], 'unpacked', unpackedSchema, deps);
    const file = resolve(options.file);
    return startsEncrypted(file) ? decrypting(file, target, unpackFrom, deps) : unpackFrom(file);
  };
  const unpacked = isEmptyFolder(capture)
    ? await filling(capture, unpackTo)
    : await unpackTo(capture).catch((error: unknown) => {
        throw besideProject(error, capture, options.file);
      });
  // In a project; a capture in another folder is replaced by nobody.
  if (unpacked.outcome === 'written' && basename(capture) === 'capture') keepCapture(capture, options.file);
  deps.report.result(`${capture}: ${outcomeWords[unpacked.outcome]}, ${formatCount(unpacked.chunks)} chunks`);
  for (const line of nextStep(capture, options.file)) deps.report.result(line);
  return { capture, outcome: unpacked.outcome, capture_sha256: unpacked.capture_sha256, chunks: unpacked.chunks };
}

/** Whether it holds nothing but what killed runs left. */
function isEmptyFolder(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  removeAllDeadPartials(folder);
  return readdirSync(folder).length === 0;
}

/** Fills a folder that is there: the archive program would replace it. */
async function filling<R>(folder: string, unpackTo: (target: string) => Promise<R>): Promise<R> {
  const staging = stagingOf(folder);
  try {
    const unpacked = await unpackTo(staging);
    placeCapture(staging, folder);
    return unpacked;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Errors in reading the file are left to the archive program. */
function startsEncrypted(file: string): boolean {
  const start = Buffer.alloc(64);
  try {
    const handle = openSync(file, 'r');
    try {
      return isEncrypted(start.subarray(0, readSync(handle, start, 0, start.length, 0)));
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}

/** Decrypts beside the future capture: its file system must have room for captures anyway. */
async function decrypting<R>(
  file: string,
  capture: string,
  unpackFrom: (file: string) => Promise<R>,
  deps: Deps,
): Promise<R> {
  removeDeadPartials(`${capture}.pack`);
  const folder = partialOf(`${capture}.pack`);
  try {
    mkdirSync(folder, { recursive: true });
    const plain = join(folder, 'packed');
    await decryptFile(file, plain, file, deps);
    return await unpackFrom(plain);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Target folder; a reproducer accepts captures of its own kernel only. */
function unpackTarget({ file, to }: UnpackOptions): { capture: string; symbol?: string } {
  const folder = resolve(to);
  if (existsSync(join(folder, kernelFile))) {
    const { capture, config } = openReproducer(folder);
    return { capture, symbol: config.symbol };
  }
  const takesFolderItself = to !== '.' || isEmptyFolder(folder);
  return {
    capture: takesFolderItself ? folder : join(folder, folderName(file)),
  };
}
