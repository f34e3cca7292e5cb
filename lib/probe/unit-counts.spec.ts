import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tallyUnits } from './unit-counts';

describe('what units counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-counts-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  const written = (): number[] => [...new Uint32Array(new Uint8Array(readFileSync(to)).buffer)];

  it('is told for each, and how much of it had room', () => {
    writeFileSync(from, Buffer.from(new Uint32Array([0, 3, 5, 2 ** 32 - 1]).buffer));
    expect(tallyUnits(from, to, 4, 4, 4)).toEqual({ kept: 0 + 3 + 4 + 4, dropped: 1 + 2 ** 32 - 5 });
    expect(written()).toEqual([0, 3, 5, 2 ** 32 - 1]);
  });

  it('of warps has 64 bits, and stops at 2^32 - 1', () => {
    writeFileSync(from, Buffer.from(new BigUint64Array([1n, 2n ** 32n + 5n]).buffer));
    expect(tallyUnits(from, to, 2, 8, 1)).toEqual({ kept: 2, dropped: 2 ** 32 + 4 });
    expect(written()).toEqual([1, 2 ** 32 - 1]);
  });

  it('of more units than fit into one piece is whole', () => {
    const units = (1 << 18) + 3;
    writeFileSync(from, Buffer.from(Uint32Array.from({ length: units }, (_, index) => index % 3).buffer));
    expect(tallyUnits(from, to, units, 4, 1).dropped).toBe(Math.floor(units / 3));
    expect(written().slice(-3)).toEqual([units - 3, units - 2, units - 1].map((unit) => unit % 3));
  });

  it('is refused where it ends too early', () => {
    writeFileSync(from, Buffer.alloc(4));
    expect(() => tallyUnits(from, to, 2, 4, 1)).toThrow('ends before its 2 units');
  });
});
