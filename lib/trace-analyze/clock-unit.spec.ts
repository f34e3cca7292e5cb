import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderSvg } from '../plot/svg';
import { printAnalysis } from './analysis-text';
import { clockUnitOf, refuseRate } from './clock-unit';
import { traceAnalyzeOptionsSchema } from './options';
import { plotOf, readingOf, taught } from './plots';
import type { Analysed } from './result';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-clock-'));
  file = join(folder, 'result', '1.000000.bin');
  mkdirSync(join(folder, 'result'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ran = (clock: string): void => writeFileSync(join(folder, 'probe-run.json'), JSON.stringify({ clock, more: 1 }));

describe('the clock of a trace', () => {
  it('counts what trace run says, and cycles where Neutrino made it', () => {
    expect(clockUnitOf(file)).toBe('cycle');
    ran('cycles');
    expect(clockUnitOf(file)).toBe('cycle');
    ran('wave-instructions');
    expect(clockUnitOf(file)).toBe('wave-instruction');
  });

  it('is of no unknown kind, and no time where it counts wave-instructions', () => {
    ran('seconds');
    expect(() => clockUnitOf(file)).toThrow(/probe-run\.json/);
    expect(failureOf(() => refuseRate('wave-instruction', 1000, file))).toContain('which are not times');
    expect(() => refuseRate('wave-instruction', undefined, file)).not.toThrow();
    expect(() => refuseRate('cycle', 1000, file)).not.toThrow();
  });

  const heat = {
    ...{
      analysis: 'heat-map',
      accesses: 3,
      empty: 0,
      pageBytes: 4096,
      interval: '0x2',
      first_clock: '0x0',
      last_clock: '0x6',
    },
    pages: [{ address: '0x1000', array: null, accesses: 3, counts: [1, 2, 0] }],
  } as unknown as Analysed;
  const progress = {
    ...{ analysis: 'progress', samples: 3, units: 1, interval: '0x2', samples_in: [1, 2], active_in: [1, 1] },
  } as unknown as Analysed;
  const blocks = {
    ...{ analysis: 'block-sched', blocks: 5000, cycles: '0x10', tail_cycles: '0x1', idle_share: 0, tail_share: 0 },
    ...{ processors: [], unwritten_units: 0, blocks_on_several: 0 },
  } as unknown as Analysed;

  it.each([heat, progress, blocks])('is what the axis of every plot says, and its words', async (result) => {
    const options = traceAnalyzeOptionsSchema.parse({ trace: folder });
    const intervals = join(folder, 'intervals');
    writeFileSync(intervals, '');
    const [cycles, waves] = await Promise.all(
      (['cycle', 'wave-instruction'] as const).map((unit) =>
        renderSvg(taught(plotOf(result, intervals, options, unit), readingOf(result, unit))),
      ),
    );
    expect(cycles).toContain('>cycles</text>');
    expect(cycles).not.toMatch(/wave order|software GPU/);
    expect(waves).toContain('>wave order in wave-instructions, not a time</text>');
    expect(waves).toContain('The software GPU runs waves one after another');
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    if (result.analysis === 'progress') return;
    printAnalysis(result, 'wave-instruction', { info: say, warn: say, output: say, result: say });
    expect(said.join('\n')).toContain('wave-instructions');
    expect(said.join('\n')).not.toContain('cycle');
  });
});

function failureOf(act: () => void): string {
  try {
    act();
    return 'none';
  } catch (error) {
    return String(error);
  }
}
