import { readdirSync, readFileSync } from 'node:fs';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { readTraceFolder } from './folder';
import { parseProbeFile } from './read-probe-file';
import { writtenTrace } from './testing/written-trace';
import { writeTraceFolder } from './write-folder';
import { writeTraceFile } from './write-trace';

describe('a written trace', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  // The folder of bench/results/neutrino-reads-our-trace.txt, which Neutrino's own reader has read.
  it('has the bytes that Neutrino reads', () => {
    const folder = writeTraceFolder(workspace.path('traces'), writtenTrace);
    expect(folder.endsWith('/Nov22_093015_4711')).toBe(true);
    const bytes = readFileSync(`${folder}/result/1.250000.bin`);
    const header = '03000000 01000000 01000000 28000000 01000000 01000000 00020000 02000000'; // 3 blocks of 40 threads
    // Two warps per block, found by dividing 40 threads by 20; then 4 bytes per thread, after 3 * 2 * 16 bytes.
    const sections = '10000000 14000000 4000000000000000 08000000 01000000 a000000000000000';
    expect(bytes.subarray(0, 64).toString('hex')).toBe(`${header} ${sections}`.replaceAll(' ', ''));
    expect(bytes.length).toBe(64 + 3 * 2 * 16 + 3 * 40 * 8);
    // The second warp of the second block: start, elapsed, cuid.
    expect(bytes.subarray(64 + 3 * 16, 64 + 4 * 16).toString('hex')).toBe(
      'b200000000800000'.concat('0b000000', '05000000'),
    );
    expect(readdirSync(folder).sort()).toEqual(['event.log', 'kernel', 'probe.toml', 'result']);
  });

  it('is read back with its launch, and no line of its log is unknown', () => {
    const folder = readTraceFolder(writeTraceFolder(workspace.path('again'), writtenTrace));
    expect(folder.log?.unknown).toEqual([]);
    expect(folder.log?.launches).toMatchObject([
      {
        kernel: '_Z5saxpyPff',
        grid: [3, 1, 1],
        block: [40, 1, 1],
        mapBytes: 1056,
        outcome: 'done',
        saved: { bytes: 1120 },
      },
    ]);
    expect(folder.kernels).toMatchObject([{ info: { name: '_Z5saxpyPff' } }]);
    expect(folder.probe).toEqual(parseProbeFile(writtenTrace.probeToml, 'probe.toml'));
  });

  it('refuses maps that are not as large as their launch, and warps that the format cannot say', () => {
    const geometry = { grid: [1, 1, 1], block: [1023, 1, 1], sharedBytes: 0 } as const;
    const map = { level: 'warp', unitBytes: 8, content: Buffer.alloc(8) } as const;
    expect(thrown(() => writeTraceFile(workspace.path('a.bin'), geometry, [map])).what).toContain('1023 threads');
    const other = { ...geometry, block: [64, 1, 1] } as const;
    expect(thrown(() => writeTraceFile(workspace.path('a.bin'), other, [map])).what).toContain('make 16');
  });

  it.each(Array.from({ length: 1022 }, (_, index) => index + 1).filter((threads) => threads % 97 === 1))(
    'has a divisor for blocks of %i threads',
    (threads) => {
      const warps = Math.ceil(threads / 32);
      const content = Buffer.alloc(8 * warps);
      writeTraceFile(workspace.path('b.bin'), { grid: [1, 1, 1], block: [threads, 1, 1], sharedBytes: 0 }, [
        { level: 'warp', unitBytes: 8, content },
      ]);
      const divisor = readFileSync(workspace.path('b.bin')).readUInt32LE(36);
      expect(Math.floor(threads / divisor)).toBe(warps);
    },
  );
});
