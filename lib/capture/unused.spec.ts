import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaptureJson } from '../archive/capture-files';
import { inBoth, type UnusedRange } from '../archive/dropped';
import type { Device } from '../device/device';
import type { Replays } from './replays';
import { candidates, unusedMemory } from './unused';

const MiB = 1024 ** 2;
const chunks = (...digests: string[]) => ({ chunks: digests });

const capture = (region: object): CaptureJson =>
  ({
    chunk_bytes: 4 * MiB,
    regions: [{ id: 'r0', class: 'device', base: '0x700000000000', size: 16 * MiB, ...region }],
  }) as unknown as CaptureJson;

const same = chunks('a', 'b', 'c', 'd');

describe('memory that may be unused on hardware', () => {
  it('is all that the dispatch left as it was', () => {
    expect(candidates(capture({ pre: same, post: same }), 2 * MiB)).toEqual([
      { region: 'r0', offset: 0, bytes: 16 * MiB },
    ]);
  });

  it('is none of the chunks that it changed, nor what was dropped already', () => {
    const post = chunks('a', 'x', 'c', 'd');
    const dropped = [{ offset: 12 * MiB, bytes: 2 * MiB }];
    expect(candidates(capture({ pre: same, post, dropped }), 2 * MiB)).toEqual([
      { region: 'r0', offset: 0, bytes: 4 * MiB },
      { region: 'r0', offset: 8 * MiB, bytes: 4 * MiB },
      { region: 'r0', offset: 14 * MiB, bytes: 2 * MiB },
    ]);
  });

  it('begins and ends where the device maps something as a whole', () => {
    const odd = { base: '0x700000000200', pre: same, post: same };
    expect(candidates(capture(odd), 2 * MiB)).toEqual([{ region: 'r0', offset: 2 * MiB - 0x200, bytes: 14 * MiB }]);
    expect(candidates(capture({ ...odd, size: 3 * MiB }), 2 * MiB)).toEqual([]);
  });

  it('is never memory of the host', () => {
    expect(candidates(capture({ class: 'host', pre: same, post: same }), 2 * MiB)).toEqual([]);
  });
});

describe('a search on hardware', () => {
  const digest = (letter: string): string => letter.repeat(64);
  const folders: string[] = [];
  afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  /** Replays of a kernel that uses these bytes and faults without them. */
  function kernelUsing(used: readonly UnusedRange[], sizes: Readonly<Record<string, number>>) {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-unused-'));
    folders.push(folder);
    const content = (size: number) => ({ chunks: Array.from({ length: Math.ceil(size / (4 * MiB)) }, () => null) });
    writeFileSync(
      join(folder, 'capture.json'),
      JSON.stringify({
        ...{ schema: 'kernloop.capture/1', app: {}, device: { kind: 'cuda', identity: 'x', isa: 'sm_90' } },
        kernel: { name: 'k', symbol: 'k', code_object: digest('a') },
        ...{ dispatch: { ordinal: 1, index: 1 }, geometry: { grid_blocks: [1], block_threads: [1] } },
        scope: { mode: 'reachable', tracked_regions: 1, tracked_bytes: 1 },
        regions: Object.entries(sizes).map(([id, size], index) => ({
          ...{ id, class: 'device', base: `0x7${index}0000000000`, size, pre: content(size), post: content(size) },
        })),
        code_objects: [],
      }),
    );
    let count = 0;
    const replays = {
      target: { capture: folder },
      compareWithout: (dropped: readonly UnusedRange[]) => {
        count += 1;
        const faults = inBoth(dropped, used).length > 0;
        return Promise.resolve({ result: { verdict: faults ? 'fault' : 'pass' } });
      },
    } as unknown as Replays;
    return { replays, count: () => count };
  }
  const gpu = { seeded: false, description: { kind: 'cuda' } } as unknown as Device;

  it('finds what is not used around a window, and never drops a byte that is', async () => {
    const used = [{ region: 'r0', offset: 37 * MiB + 5, bytes: 3 * MiB }];
    const { replays } = kernelUsing(used, { r0: 128 * MiB, r1: 9 * MiB });
    const found = await unusedMemory(replays, gpu, undefined);
    expect(inBoth(found, used)).toEqual([]);
    expect(found.reduce((sum, { bytes }) => sum + bytes, 0)).toBe((128 - 6) * MiB + 8 * MiB);
  });

  it('ends after 40 replays where all is used, and drops nothing', async () => {
    const used = Array.from({ length: 500 }, (_, i) => ({ region: 'r0', offset: i * 2 * MiB, bytes: 1 }));
    const { replays, count } = kernelUsing(used, { r0: 1000 * MiB });
    expect(await unusedMemory(replays, gpu, undefined)).toEqual([]);
    expect(count()).toBe(40);
  });
});
