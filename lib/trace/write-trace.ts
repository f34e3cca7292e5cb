import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { KernloopError } from '../support/error';

/** Content of one map after the launch: bytes in memory, or a file. */
export interface MapContents {
  readonly level: 'thread' | 'warp';
  /** Bytes of a thread or warp. */
  readonly unitBytes: number;
  readonly content: Uint8Array | { readonly file: string };
}

export interface LaunchGeometry {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly sharedBytes: number;
  /** Default 32, which Neutrino assumes. */
  readonly warpSize?: 32 | 64;
}

const headerBytes = 32;
const sectionBytes = 16;

/**
 * Writes a trace file like Neutrino's CUDA driver (u32 bytes a unit, u32 threads a unit, u64 offset), which its own
 * tools read. Units are contiguous: (block * units of a block + unit) * unitBytes. If blocks are no multiple of a warp,
 * Neutrino's driver and its reader count warps differently; here every warp has separate space, and the divisor makes
 * its reader find it.
 */
export function writeTraceFile(
  path: string,
  geometry: LaunchGeometry,
  maps: readonly MapContents[],
): { file: number; maps: number } {
  const blocks = product(geometry.grid);
  const threads = product(geometry.block);
  let offset = headerBytes + sectionBytes * maps.length;
  const table = Buffer.alloc(offset);
  [...geometry.grid, ...geometry.block, geometry.sharedBytes, maps.length].forEach((value, index) =>
    table.writeUInt32LE(value, index * 4),
  );
  for (const [index, map] of maps.entries()) {
    const divisor = map.level === 'thread' ? 1 : warpDivisor(threads, geometry.warpSize ?? 32);
    const bytes = blocks * Math.floor(threads / divisor) * map.unitBytes;
    const given = sizeOf(map.content);
    if (given !== bytes) {
      throw new KernloopError(
        'TRACE_INVALID',
        `map ${index} of ${path} has ${given} bytes, its launch and ${map.unitBytes} bytes a ${map.level} make ${bytes}`,
        'this is a bug in Kernloop: report it',
      );
    }
    const at = headerBytes + sectionBytes * index;
    table.writeUInt32LE(map.unitBytes, at);
    table.writeUInt32LE(divisor, at + 4);
    table.writeBigUInt64LE(BigInt(offset), at + 8);
    offset += bytes;
  }
  const file = openSync(path, 'w');
  try {
    writeAll(file, table);
    for (const { content } of maps) copyTo(file, content);
  } finally {
    closeSync(file);
  }
  return { file: offset, maps: offset - table.length };
}

/** A divisor that gives the number of warps when the threads of a block are divided by it and rounded down. */
function warpDivisor(threads: number, warpSize: number): number {
  const warps = Math.ceil(threads / warpSize);
  const divisor = threads % warpSize === 0 ? warpSize : Math.floor(threads / warps);
  if (Math.floor(threads / divisor) === warps) return divisor;
  throw new KernloopError(
    'TRACE_INVALID',
    `the format of Neutrino has no way to say ${warps} warps of a block of ${threads} threads`,
    'trace by thread, or launch blocks that are a multiple of a warp',
  );
}

const product = (values: readonly number[]): number => values.reduce((a, b) => a * b, 1);

function sizeOf(content: MapContents['content']): number {
  return 'file' in content ? statSync(content.file).size : content.byteLength;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}

function copyTo(file: number, content: MapContents['content']): void {
  if (!('file' in content)) {
    writeAll(file, content);
    return;
  }
  const source = openSync(content.file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(1 << 20);
    for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer))
      writeAll(file, buffer.subarray(0, read));
  } finally {
    closeSync(source);
  }
}
