import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderSvg } from '../plot/svg';
import { printAnalysis } from './analysis-text';
import { arraysOf, namesOfPage, pageBytesOf } from './arrays';
import { traceAnalyzeOptionsSchema } from './options';
import { plotOf, readingOf, taught } from './plots';
import type { HeatMap } from './result';

const arrays = [
  { name: 'in', address: '0x10000', bytes: 0x1800 },
  { name: 'out', address: '0x11800', bytes: 0x800 },
];

describe('the arrays of a trace', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-arrays-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => join(folder, 'result', name);

  it('are those of the launch that the file is of, and none in a trace of Neutrino or of an older release', () => {
    mkdirSync(join(folder, 'result'));
    expect(arraysOf(file('1.000000.bin'))).toEqual([]);
    const launches = [
      { result: null, arrays: [] },
      { result: 'result/1.000000.bin' },
      { result: 'result/2.000000.bin', arrays },
    ];
    writeFileSync(join(folder, 'probe-run.json'), JSON.stringify({ launches }));
    expect([arraysOf(file('1.000000.bin')), arraysOf(file('2.000000.bin'))]).toEqual([[], arrays]);
  });

  it('name a page by every byte that they have in it, to the first and the last', () => {
    const names = ['0xf000', '0x10000', '0x11000', '0x12000'].map((page) => namesOfPage(arrays, page, 4096));
    expect(names).toEqual([null, 'in', 'in, out', null]);
  });

  it('decide how large a page is, unless there are none', () => {
    const sized = (bytes: number): number => pageBytesOf([{ name: 'a', address: '0x0', bytes }]);
    expect([pageBytesOf([]), sized(4), sized(64 * 256 + 1), sized(2 ** 33)]).toEqual([65536, 256, 512, 65536]);
  });
});

describe('the heat map of accesses', () => {
  const heat = (names: readonly (string | null)[]): HeatMap => ({
    ...{ analysis: 'heat-map', accesses: names.length, empty: 0, page_bytes: 4096, interval: '0x2' },
    ...{ first_clock: '0x0', last_clock: '0x6' },
    pages: names.map((array, index) => ({ address: `0x${index + 1}000`, array, accesses: 1, counts: [1, 0] })),
  });
  const options = traceAnalyzeOptionsSchema.parse({ trace: '.' });
  const draw = (names: readonly (string | null)[]): Promise<string> =>
    renderSvg(taught(plotOf(heat(names), 'none', options, 'cycle'), readingOf(heat(names), 'cycle')));
  const labelsOf = (svg: string): string[] =>
    [
      ...(/role-axis-label[^>]*>(.*?)<\/g>/.exec(svg.slice(svg.lastIndexOf('aria-label="Y-axis')))?.[1] ?? '').matchAll(
        />([^<]+)<\/text>/g,
      ),
    ].map(([, label = '']) => label);

  it('has each array once at its axis, and the address of a page of unknown memory', async () => {
    const svg = await draw(['in', 'in', 'in, out', 'out', 'out', null]);
    // From the lowest row up: the first page is the highest row.
    expect(labelsOf(svg)).toEqual(['0x6000', 'out', 'in, out', 'in']);
    expect(svg).toContain('Each row is a page of the array on the left');
    expect(Number(/ height="(\d+)"/.exec(svg)?.[1])).toBeGreaterThan(240);
  });

  it('takes a name for text, whatever is in it', async () => {
    const name = `"]; throw "x\\' <b>`;
    expect(labelsOf(await draw([name]))).toEqual([`"]; throw "x\\' &lt;b&gt;`]);
  });

  it('prints arrays where they are known', () => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const reporter = { info: say, warn: say, output: say, result: say };
    printAnalysis(heat(['in', null]), 'cycle', reporter);
    printAnalysis(heat([null]), 'cycle', reporter);
    expect(said.slice(0, 3)).toEqual([
      '2 accesses to 2 pages of 4.0 KiB in 6 cycles; 0 slots are empty',
      'page    array  accesses  intervals with any',
      '0x1000  in            1  1 of 2',
    ]);
    expect(said.slice(4, 6)).toEqual([
      '1 access to 1 page of 4.0 KiB in 6 cycles; 0 slots are empty',
      'page    accesses  intervals with any',
    ]);
  });
});
