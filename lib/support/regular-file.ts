import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { KernloopError, systemCode } from './error';

/**
 * Opens a regular file. Refuses others: reading a FIFO may block forever, and a device such as /dev/zero never ends.
 * Links are followed. The caller closes the descriptor.
 */
export function openRegularFile(path: string): { file: number; size: number } {
  // Without O_NONBLOCK, opening a FIFO would block.
  const file = opened(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw special(path, stats);
    return { file, size: stats.size };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // A socket cannot be opened at all.
    if (systemCode(error) === 'ENXIO') throw special(path, statSync(path));
    throw error;
  }
}

/** Reads a regular file. */
export function readRegularFile(path: string): Buffer;
export function readRegularFile(path: string, encoding: 'utf8'): string;
export function readRegularFile(path: string, encoding?: 'utf8'): Buffer | string {
  const { file } = openRegularFile(path);
  try {
    return readFileSync(file, encoding);
  } finally {
    closeSync(file);
  }
}

/** Upper limit for files that are read whole; a larger one is hostile or a mistake. */
const maxWholeBytes = 256 * 1024 * 1024;

/** Reads a regular file that Kernloop or a user wrote, such as a JSON file. */
export function readWholeFile(path: string): Buffer {
  const { file, size } = openRegularFile(path);
  try {
    if (size <= maxWholeBytes) return readFileSync(file);
  } finally {
    closeSync(file);
  }
  throw new KernloopError(
    'FILE_UNREADABLE',
    `${path} is larger than ${maxWholeBytes} bytes`,
    'name a file that Kernloop wrote',
  );
}

/** Refuses special files among and below these names, for programs that open files themselves. */
export function refuseSpecialFiles(root: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(root, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isFile()) continue;
    if (!stats.isDirectory()) throw special(path, stats);
    for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
      if (entry.isFile() || entry.isDirectory()) continue;
      const inside = join(entry.parentPath, entry.name);
      const there = statSync(inside, { throwIfNoEntry: false });
      if (there !== undefined && !there.isFile() && !there.isDirectory()) throw special(inside, there);
    }
  }
}

function special(path: string, stats: Stats): KernloopError {
  return new KernloopError(
    'FILE_UNREADABLE',
    `${path} is ${kindOf(stats)}, and must be a regular file`,
    'move it away, and put the file itself in its place',
  );
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  if (stats.isDirectory()) return 'a folder';
  return 'a device';
}
