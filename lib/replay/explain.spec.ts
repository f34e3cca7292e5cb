import type { Explanation } from '../advice/advice-json';
import { openReproducer } from '../reproducer/reproducer';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import type { KernelResources } from '../toolchain/kernel-resources';
import { explain, type Replayed } from './explain';
import { SourceFiles } from './source-files';

/** Kernels of native/codeobject/test/data/cubin/resources.sm_90.cubin, as lib/toolchain/kernel-resources.spec.ts has them. */
const resourcesOf = (vectorRegisters: number, staticShared: number, privateBytes: number): KernelResources => ({
  ...{ processor: 'sm_90', waveSize: 32, scalarRegisters: null, spilled: null, isOnTwoUnits: false },
  ...{ vectorRegisters, staticShared, privateBytes },
});
const local = resourcesOf(31, 0, 400);
const onlyDynamic = resourcesOf(12, 0, 0);
const shared = resourcesOf(16, 48, 0);

describe('the explanation of a replay', () => {
  let workspace: TestWorkspace;
  let sources: SourceFiles;
  beforeEach(() => {
    workspace = new TestWorkspace();
    sources = new SourceFiles(openReproducer(writeReproducer(workspace)));
  });
  afterEach(() => workspace.dispose());

  const geometry = { grid_blocks: [64, 2], block_threads: [32, 4], group_segment_bytes: 0, attributes: {} };
  const kernel = { name: 'k', symbol: 'k', code_object: 'c'.repeat(64), group_segment_bytes: 0 };
  const explained = (more: Partial<Replayed>): Explanation =>
    explain({
      ...{ iterations: [], hotSpots: [], overridden: null, capture: { geometry, kernel } },
      ...{ resources: local, lines: 'none', sources },
      ...more,
    });
  const rulesOf = ({ advice }: Explanation): string[] => advice.map(({ rule }) => rule);

  it('on cuda is of what the cubin tells: local memory, without saying that it was spilled', () => {
    const { advice, not_told: notTold } = explained({});
    expect(advice).toMatchObject([
      { rule: 'scratch', says: 'the kernel uses 400 bytes of local memory a thread', places: [] },
    ]);
    expect(advice[0]?.next).toContain('ptxas -v');
    expect(notTold).toEqual(['memory, LDS, divergence: only the software GPU counts them']);
  });

  it('is of the launch as it was made', () => {
    const overridden = { block_threads: { from: [32, 4], to: [40, 1] }, grid_blocks: { from: [64, 2], to: [3, 1] } };
    const found = explained({ overridden, resources: onlyDynamic });
    expect(found.advice).toMatchObject([
      { rule: 'partial-waves', figures: { threads: 40, waves: 2, idle_lanes: 24 } },
      // 64 warps, but only 32 blocks of two warps: all fit.
    ]);
  });

  it('adds the dynamic shared memory of the launch to the static one of the code that ran', () => {
    // Captured: 16 static bytes of 49,168, so 49,152 dynamic ones. The code has 48 static ones, and the system 1,024.
    const capture = {
      geometry: { ...geometry, group_segment_bytes: 49_168 },
      kernel: { ...kernel, group_segment_bytes: 16 },
    };
    const captured = { capture, resources: shared };
    const [found] = explained(captured).advice;
    // 50,224 bytes take 50,304 of 233,472: 4 blocks of 4 warps.
    expect(found?.figures).toMatchObject({ waves: 16, most_waves: 64, shared_bytes: 49_200 });
    const overridden = { dynamic_group_segment_bytes: { from: 49_152, to: 0 } };
    expect(rulesOf(explained({ ...captured, overridden }))).toEqual([]);
    const { group_segment_bytes: _unknown, ...older } = capture.kernel;
    expect(rulesOf(explained({ ...captured, capture: { ...capture, kernel: older } }))).toEqual([]);
  });

  it('says what it cannot tell where the code could not be read', () => {
    const found = explained({ resources: null, lines: 'a chunk is missing' });
    expect(found.advice).toEqual([]);
    expect(found.not_told).toContain('registers and occupancy: the code object does not tell them');
  });
});
