import { closeSync, openSync, readSync } from 'node:fs';
import type { ProbedMap } from '../probe/backend';
import { KernloopError } from '../support/error';
import { formatBytes, formatCount } from '../support/report';
import type { ProbeFile, TraceMap } from '../trace/probe-file';
import type { LaunchGeometry } from '../trace/write-trace';

/** Limit for all maps of one run together. */
const mostBytes = 8 * 2 ** 30;
const mostUnitBytes = 2 ** 32 - 1;

export interface Counts {
  readonly units: number;
  readonly most: number;
  /** Number of units that had more than `capacity` records. */
  readonly overflowed: number;
}

/** Number of records per unit of a map, from the file of counts. */
export function readCounts(path: string, capacity: number): Counts {
  const file = openSync(path, 'r');
  let units = 0;
  let most = 0;
  let overflowed = 0;
  try {
    const buffer = Buffer.allocUnsafe(1 << 20);
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      for (let at = 0; at + 4 <= read; at += 4) {
        const count = buffer.readUInt32LE(at);
        units++;
        if (count > most) most = count;
        if (count > capacity) overflowed++;
      }
    }
  } finally {
    closeSync(file);
  }
  return { units, most, overflowed };
}

export const isDynamic = ({ maps }: ProbeFile): boolean => maps.some(({ capacity }) => capacity === 'dynamic');

/** Capacities of a counting run, which keeps no records of dynamic maps. */
export function countingCapacities({ maps }: ProbeFile): Map<string, number> {
  return new Map(maps.map(({ name, capacity }) => [name, capacity === 'dynamic' ? 0 : capacity]));
}

/**
 * Capacities for the counts found, at most `limit` records and at least one: a map without records could not be read.
 */
export function tracingCapacities(
  { maps }: ProbeFile,
  counted: readonly ProbedMap[],
  limit: number | undefined,
): Map<string, number> {
  return new Map(
    maps.map(({ name, capacity }): [string, number] => {
      if (capacity !== 'dynamic') return [name, capacity];
      const found = counted.find((map) => map.name === name);
      const most = found ? readCounts(found.countsPath, 0).most : 0;
      return [name, Math.max(1, Math.min(most, limit ?? most))];
    }),
  );
}

/** Fails before memory is allocated, and names the needs of every map. */
export function requireRoom(
  { maps }: ProbeFile,
  capacity: ReadonlyMap<string, number>,
  { grid, block, warpSize = 32 }: LaunchGeometry,
): void {
  const product = (values: readonly number[]): number => values.reduce((a, b) => a * b, 1);
  const units = (map: TraceMap): number =>
    product(grid) * (map.level === 'thread' ? product(block) : Math.ceil(product(block) / warpSize));
  const rows = maps.map((map) => {
    const records = capacity.get(map.name) ?? 0;
    return { map, records, bytes: units(map) * records * map.size };
  });
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= mostBytes && rows.every(({ map, records }) => records * map.size <= mostUnitBytes)) return;
  const wanted = rows.map(
    ({ map, records, bytes }) =>
      `${map.name} ${formatBytes(bytes)} (${formatCount(units(map))} ${map.level}s, ${formatCount(records)} records each)`,
  );
  throw new KernloopError(
    'PROBE_MAPS_TOO_LARGE',
    `the maps would have ${formatBytes(total)}: ${wanted.join(', ')}; the most is ${formatBytes(mostBytes)}`,
    'keep fewer records of each with --capacity (dynamic maps) or cap of the file: what is dropped is counted',
  );
}
