import { bytesOf, fieldOffsets, recordBytes, type TraceMap } from '../probe-file';
import type { Dialect } from '../words';

/** A launch whose trace is built from the description of the format, without Neutrino's code. */
export interface MadeLaunch {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly sharedBytes?: number;
  /** Records per thread or warp of maps whose program counts them. */
  readonly counted?: number;
}

export type ValueOf = (map: number, block: number, unit: number, record: number, field: number) => bigint;

/** A distinct value for each position, sometimes above 2^63. */
export const valueOf: ValueOf = (map, block, unit, record, field) => {
  const place = BigInt(map * 1_000_003 + block * 10_007 + unit * 101 + record * 7 + field + 1);
  return BigInt.asUintN(64, place * 0x9e3779b97f4a7c15n) | 1n;
};

const product = (of: readonly number[]): number => of.reduce((a, b) => a * b, 1);

/**
 * Number of units of a block with separate space: another block overwrites the last warp of a ragged block, unless
 * there is only one block.
 */
export function unitsOf(map: TraceMap, { grid, block }: MadeLaunch, warp: number): number {
  const threads = product(block);
  if (map.level === 'thread') return threads;
  return product(grid) === 1 ? Math.ceil(threads / warp) : Math.floor(threads / warp);
}

/** A trace file as the driver of a dialect writes it. */
export function makeTrace(dialect: Dialect, launch: MadeLaunch, maps: readonly TraceMap[], value = valueOf): Buffer {
  const warp = dialect === 'hip-total' ? 64 : 32;
  const blocks = product(launch.grid);
  const threads = product(launch.block);
  let offset = 32 + 16 * maps.length;
  const table = Buffer.alloc(offset);
  [...launch.grid, ...launch.block, launch.sharedBytes ?? 0, maps.length].forEach((word, index) =>
    table.writeUInt32LE(word, 4 * index),
  );
  const memories = maps.map((map, index) => memoryOf(map, index, launch, warp, value));
  for (const [index, map] of maps.entries()) {
    const total = memories[index]?.length ?? 0;
    const at = 32 + 16 * index;
    const unit = recordsOf(map, launch) * map.size;
    const divisor = map.level === 'warp' ? warp : 1;
    if (dialect === 'warp-div') {
      table.writeUInt32LE(unit, at);
      table.writeUInt32LE(divisor, at + 4);
    } else if (dialect === 'hip-total') {
      table.writeUInt32LE(total, at);
      table.writeUInt32LE(0x7ffe1234, at + 4);
    } else {
      table.writeBigUInt64LE(BigInt(dialect === 'unit' ? unit : total), at);
    }
    table.writeBigUInt64LE(BigInt(offset), at + 8);
    offset += dialect === 'warp-div' ? Math.floor((blocks * threads * unit) / divisor) : total;
  }
  return Buffer.concat([table, ...memories]);
}

const recordsOf = (map: TraceMap, launch: MadeLaunch): number =>
  map.capacity === 'dynamic' ? (launch.counted ?? 0) : map.capacity;

function memoryOf(map: TraceMap, index: number, launch: MadeLaunch, warp: number, value: ValueOf): Buffer {
  const threads = product(launch.block);
  const isWarp = map.level === 'warp';
  const given = isWarp ? Math.ceil(threads / warp) : threads;
  const step = isWarp ? Math.floor(threads / warp) : threads;
  const unitBytes = recordsOf(map, launch) * map.size;
  const memory = Buffer.alloc(product(launch.grid) * given * unitBytes);
  const offsets = fieldOffsets(map);
  for (let block = 0; block < product(launch.grid); block++) {
    // The first warp is written last, so that it replaces what the previous block wrote there.
    for (let unit = given - 1; unit >= 0; unit--) {
      for (let record = 0; record < Math.floor(unitBytes / recordBytes(map)); record++) {
        const at = (block * step + unit) * unitBytes + record * recordBytes(map);
        for (const [number, { name, type }] of map.fields.entries()) {
          const word = value(index, block, unit, record, number);
          const place = at + (offsets.get(name) ?? 0);
          if (bytesOf(type) === 8) memory.writeBigUInt64LE(word, place);
          else memory.writeUInt32LE(Number(BigInt.asUintN(32, word)), place);
        }
      }
    }
  }
  return memory;
}
