import { bytesOf, inBoth, rangesOf, type UnusedRange } from '../archive/dropped';
import { readCapture, type CaptureJson } from '../archive/capture-files';
import type { Device } from '../device/device';
import { isEqual, type Replays } from './replays';

/** Mapping granularity of the device: a smaller range cannot be left unmapped. */
export function granuleOf({ description: { kind } }: Device): number {
  return kind === 'cuda' ? 2 * 1024 ** 2 : 4096;
}

/** Maximum replays of a search on hardware: each is a process, and most end with a fault. */
const mostReplays = 40;

/** Finds memory that the dispatch neither reads nor writes, in whole granules. `varying` is the file of ranges. */
export async function unusedMemory(
  replays: Replays,
  device: Device,
  varying: string | undefined,
): Promise<UnusedRange[]> {
  const request = varying === undefined ? {} : { varying };
  if (!device.seeded) return searchUnused(replays, granuleOf(device), request);
  // The software GPU reports accesses; memory must be untouched in every order of waves.
  let found: UnusedRange[] | undefined;
  for (const order of [{ seed: 1 }, { seed: 2 }, { seed: 4, adverse: replays.adverse }]) {
    const { unused } = await replays.compare({ ...request, ...order, findUnused: granuleOf(device) });
    found = found === undefined ? rangesOf(unused) : inBoth(found, rangesOf(unused));
  }
  return found ?? [];
}

/**
 * Hardware does not report accesses, so each replay unmaps one piece, where any access then faults. Pieces in use are
 * halved and tried again, the largest first, so that the search ends when little is left to gain.
 */
async function searchUnused(replays: Replays, granule: number, request: { varying?: string }): Promise<UnusedRange[]> {
  const open = candidates(readCapture(replays.target.capture), granule);
  const found: UnusedRange[] = [];
  for (let count = 0; count < mostReplays && open.length > 0; count += 1) {
    open.sort((a, b) => a.bytes - b.bytes);
    const piece = open.pop() as UnusedRange;
    if (isEqual(await replays.compareWithout([piece], request))) found.push(piece);
    else open.push(...halves(piece, granule));
  }
  return found;
}

function halves({ region, offset, bytes }: UnusedRange, granule: number): UnusedRange[] {
  const first = Math.floor(bytes / granule / 2) * granule;
  if (first === 0) return [];
  return [
    { region, offset, bytes: first },
    { region, offset: offset + first, bytes: bytes - first },
  ];
}

/** Whole granules of device memory, without chunks that the dispatch changed. */
export function candidates({ regions, chunk_bytes: chunk }: CaptureJson, granule: number): UnusedRange[] {
  return regions
    .filter(({ class: kind }) => kind !== 'host')
    .flatMap(({ id, base, size, pre, post, dropped = [] }) => {
      const address = BigInt(base);
      const begin = Number((-address % BigInt(granule)) + BigInt(address % BigInt(granule) === 0n ? 0 : granule));
      const changed = pre.chunks.flatMap((digest, index) =>
        digest === post.chunks[index] ? [] : [{ region: id, offset: index * chunk, bytes: chunk }],
      );
      const used = [...changed, ...dropped.map(({ offset, bytes }) => ({ region: id, offset, bytes }))];
      const ranges: UnusedRange[] = [];
      for (let offset = begin; offset + granule <= size; offset += granule) {
        if (bytesOf(inBoth([{ region: id, offset, bytes: granule }], used)) > 0) continue;
        const last = ranges.at(-1);
        if (last && last.offset + last.bytes === offset) last.bytes += granule;
        else ranges.push({ region: id, offset, bytes: granule });
      }
      return ranges;
    });
}
