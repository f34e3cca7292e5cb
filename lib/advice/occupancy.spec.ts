import { occupancyOf, type Needs, type Occupancy } from './occupancy';
import { unitOf } from './units';

const resources = (processor: string, isOnTwoUnits = false) => ({
  processor,
  isOnTwoUnits,
  waveSize: 64,
  vectorRegisters: 1,
  scalarRegisters: null,
  spilled: null,
  privateBytes: 0,
  staticShared: 0,
});

function occupancy(processor: string, needs: Partial<Needs>, isOnTwoUnits = true): Occupancy {
  const unit = unitOf(resources(processor, isOnTwoUnits));
  if (unit === null) throw new Error(`no limits of ${processor}`);
  const found = occupancyOf(unit, {
    threads: 256,
    waveSize: processor.startsWith('gfx9') ? 64 : 32,
    vectorRegisters: 1,
    scalarRegisters: 10,
    sharedBytes: 0,
    ...needs,
  });
  if (found === null) throw new Error('nothing fits');
  return found;
}

describe('occupancy', () => {
  // Oracle: "Occupancy [waves/SIMD]" of clang 22, -Rpass-analysis=kernel-resource-usage, for kernels of so many VGPRs.
  it.each([
    ['gfx90a', { 64: 8, 72: 7, 80: 6, 84: 5, 96: 5, 104: 4, 128: 4, 168: 3, 169: 2, 255: 2 }],
    ['gfx942', { 64: 8, 72: 7, 80: 6, 84: 5, 96: 5, 104: 4, 128: 4, 168: 3, 169: 2, 255: 2 }],
    ['gfx1030', { 64: 16, 72: 12, 80: 12, 84: 10, 96: 10, 104: 9, 128: 8, 168: 5, 169: 5, 255: 4 }],
    ['gfx1100', { 84: 16, 96: 16, 104: 12, 128: 10, 168: 9, 169: 8, 255: 5 }],
  ])('by vector registers on %s is what LLVM says', (processor, told) => {
    const threads = processor.startsWith('gfx9') ? 64 : 32;
    for (const [registers, waves] of Object.entries(told))
      for (const isOnTwoUnits of [true, false]) {
        const found = occupancy(processor, { threads, vectorRegisters: Number(registers) }, isOnTwoUnits);
        expect([registers, found.waves / (found.mostWaves / (processor.startsWith('gfx9') ? 8 : 16))]).toEqual([
          registers,
          waves,
        ]);
      }
  });

  it('by scalar registers is what LLVM says: 100 leave room for 8 waves of gfx90a, and 104 for 7', () => {
    const of = (scalarRegisters: number) => occupancy('gfx90a', { threads: 64, scalarRegisters });
    expect([of(84).waves, of(100).waves, of(104).waves]).toEqual([32, 32, 28]);
    expect(of(104)).toMatchObject({
      limiters: ['scalarRegisters'],
      step: { needs: { scalarRegisters: 100 }, waves: 32 },
    });
    expect(occupancy('gfx1030', { threads: 32, scalarRegisters: 104 }).waves).toBe(64);
  });

  it('tells how many registers fewer make room for one workgroup more, by whole workgroups', () => {
    // 96 registers: 5 waves on each of 4 SIMDs, which is 5 workgroups of 4 waves. 80 registers: 6 on each.
    expect(occupancy('gfx90a', { vectorRegisters: 96 })).toEqual({
      groups: 5,
      wavesOfGroup: 4,
      waves: 20,
      mostWaves: 32,
      limiters: ['vectorRegisters'],
      step: { needs: { vectorRegisters: 80, scalarRegisters: 10, sharedBytes: 0 }, waves: 24 },
    });
    // Workgroups of 16 waves: one of them at 96 registers (20 waves), and two only at 64 (32 waves).
    expect(occupancy('gfx90a', { threads: 1024, vectorRegisters: 96 })).toMatchObject({
      groups: 1,
      step: { needs: { vectorRegisters: 64 }, waves: 32 },
    });
  });

  it('by LDS counts whole granules of 512 bytes', () => {
    // 13,100 bytes take 13,312: 4 workgroups of 65,536, where the bytes alone would let 5 in. 5 of them have 13,107 each.
    expect(occupancy('gfx90a', { sharedBytes: 13_100 })).toMatchObject({
      groups: 4,
      waves: 16,
      limiters: ['sharedBytes'],
      step: { needs: { sharedBytes: 12_800 }, waves: 20 },
    });
    expect(occupancy('gfx90a', { sharedBytes: 12_800 }).groups).toBe(5);
    expect(occupancy('gfx90a', { sharedBytes: 12_801 }).groups).toBe(4);
  });

  it('by registers and LDS together needs less of both', () => {
    // 128 registers: 4 waves a SIMD, 4 workgroups of 4 waves; 16 KiB: 4 workgroups.
    expect(occupancy('gfx90a', { vectorRegisters: 128, sharedBytes: 16_384 })).toMatchObject({
      groups: 4,
      limiters: ['vectorRegisters', 'sharedBytes'],
      step: { needs: { vectorRegisters: 96, sharedBytes: 12_800 }, waves: 20 },
    });
  });

  it('has no step where waves or workgroups are the limit', () => {
    expect(occupancy('gfx90a', {})).toMatchObject({ waves: 32, limiters: ['waves'], step: null });
    // 12 waves: two workgroups are 24 of 32 waves.
    expect(occupancy('gfx90a', { threads: 768 })).toMatchObject({
      groups: 2,
      waves: 24,
      limiters: ['waves'],
      step: null,
    });
    // Two waves: 16 workgroups, one barrier each.
    expect(occupancy('gfx90a', { threads: 65 })).toMatchObject({ groups: 16, waves: 32 });
  });

  it('in one compute unit of RDNA has half of the SIMDs and of the LDS', () => {
    expect(occupancy('gfx1030', { sharedBytes: 40_000 }, true)).toMatchObject({ groups: 3, mostWaves: 64 });
    expect(occupancy('gfx1030', { sharedBytes: 40_000 }, false)).toMatchObject({ groups: 1, mostWaves: 32 });
  });

  it('on NVIDIA is what the toolkit’s calculator gives', () => {
    // sm_90, 256 threads, 40 registers: 1,280 a warp, 12 warps in each of 4 partitions: 48 warps, 6 blocks of 8.
    expect(occupancy('sm_90', { waveSize: 32, vectorRegisters: 40, scalarRegisters: null })).toMatchObject({
      groups: 6,
      waves: 48,
      mostWaves: 64,
      step: { needs: { vectorRegisters: 32 }, waves: 64 },
    });
    // 48 KiB and the system's 1 KiB: 4 blocks of 228 KiB.
    expect(occupancy('sm_90a', { waveSize: 32, vectorRegisters: 16, sharedBytes: 49_152 })).toMatchObject({
      groups: 4,
      limiters: ['sharedBytes'],
      step: { needs: { sharedBytes: 45_568 }, waves: 40 },
    });
  });

  it('is unknown for a processor without limits here, and where nothing fits', () => {
    expect(unitOf(resources('gfx906'))).toBeNull();
    expect(unitOf(resources('sm_130'))).toBeNull();
    const unit = unitOf(resources('gfx90a'));
    expect(
      unit &&
        occupancyOf(unit, { threads: 256, waveSize: 64, vectorRegisters: 1, scalarRegisters: 1, sharedBytes: 65_537 }),
    ).toBeNull();
  });
});
