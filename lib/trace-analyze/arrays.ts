import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { readJson } from '../support/schema';

const arraySchema = z.object({ name: z.string(), address: z.string().regex(/^0x[0-9a-f]+$/), bytes: z.number() });
export type NamedArray = z.output<typeof arraySchema>;

const runSchema = z.looseObject({
  launches: z.array(z.looseObject({ result: z.string().nullable(), arrays: z.array(arraySchema).optional() })),
});

/** Arrays that the launch of a result file had, from the file that `trace run` wrote; Neutrino's own traces tell none. */
export function arraysOf(file: string): readonly NamedArray[] {
  const folder = dirname(dirname(file));
  const path = join(folder, 'probe-run.json');
  if (!existsSync(path)) return [];
  const { launches } = readJson(path, runSchema, 'TRACE_INVALID', 'run the trace again');
  return launches.find(({ result }) => result === relative(folder, file))?.arrays ?? [];
}

/** Names of the arrays that have bytes in a page; null if none is known. */
export function namesOfPage(arrays: readonly NamedArray[], address: string, pageBytes: number): string | null {
  const start = BigInt(address);
  const names = arrays
    .filter((one) => BigInt(one.address) < start + BigInt(pageBytes) && BigInt(one.address) + BigInt(one.bytes) > start)
    .map(({ name }) => name);
  return names.length === 0 ? null : names.join(', ');
}

const mostPageBytes = 65536;
const leastPageBytes = 256;
const pages = 64;

/** Page size at which a picture of all arrays has about as many rows as a reader can tell apart. */
export function pageBytesOf(arrays: readonly NamedArray[]): number {
  if (arrays.length === 0) return mostPageBytes;
  const wanted = arrays.reduce((sum, { bytes }) => sum + bytes, 0) / pages;
  let size = leastPageBytes;
  while (size < wanted && size < mostPageBytes) size *= 2;
  return size;
}
