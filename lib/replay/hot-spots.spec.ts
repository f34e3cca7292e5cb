import { hotSpotTable } from './hot-spot-text';
import { summarise } from './hot-spots';
import type { HotSpotEvent } from './replay-events';
import { SourceFiles } from './source-files';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { openReproducer } from '../reproducer/reproducer';

const codeObject = 'c'.repeat(64);
const spot = (offset: string, instruction: string, figures: object): HotSpotEvent => ({
  event: 'hot_spot',
  pc: `0x4000${offset.slice(2)}`,
  code_object: codeObject,
  offset,
  instruction,
  executed: 1,
  ...figures,
});
const events = [
  spot('0x1900', 's_load_dword s4, s[0:1], 0x0', { executed: 4, bytes_read: 16 }),
  spot('0x1908', 'v_add_u32 v1, v0, v0', { executed: 400, lanes: 12_800, vector: true }),
  spot('0x190c', 'ds_read_b32 v8, v1', { executed: 400, lanes: 25_600, vector: true, lds_bank_conflicts: 62 }),
  spot('0x1914', 's_and_saveexec_b64 s[10:11], vcc', { executed: 8, splits: 7 }),
  spot('0x1918', 's_cbranch_scc1 65531', { executed: 400, taken: 396, branch: true }),
];
/** A table with two lines and an instruction without one. */
const table = {
  at: (address: number) =>
    address === 0x1914 ? undefined : { file: './deps/src/k.hip', line: address < 0x1908 ? 1 : 2 },
};

describe('hot spots', () => {
  let workspace: TestWorkspace;
  let sources: SourceFiles;
  beforeEach(() => {
    workspace = new TestWorkspace();
    const reproducer = openReproducer(writeReproducer(workspace));
    workspace.write('kernels/app/saxpy/deps/src/k.hip', 'first line\n  y[i] = a * x[i];\u001b[31m\n');
    sources = new SourceFiles(reproducer);
  });
  afterEach(() => workspace.dispose());

  it('are the instructions where there are no lines, the heaviest first, ties in the order of the code', () => {
    const spots = summarise(events, 'why not', 'executed', sources);
    expect(spots.instructions.map(({ offset }) => offset)).toEqual(['0x1908', '0x190c', '0x1918', '0x1914', '0x1900']);
    expect(spots).toMatchObject({ no_lines: 'why not', lines: [] });
    const text = hotSpotTable(spots, 'hot spots').join('\n');
    expect(text).toContain('hot spots: instructions by executed wave-instructions (why not)');
    expect(text).toMatch(/400 +32\.0 +- +- +- +0x1908 +v_add_u32 v1, v0, v0/);
    expect(text).toMatch(/400 +64\.0 +62 +- +- +0x190c/);
    expect(text).toMatch(/400 +- +- +- +396 +0x1918/);
    expect(text).not.toContain('transactions');
  });

  it.each([
    ['lanes', '0x190c'],
    ['conflicts', '0x190c'],
    ['splits', '0x1914'],
  ] as const)('are ordered by %s', (order, first) => {
    const spots = summarise(events, 'no', order, sources);
    expect(spots.instructions[0]?.offset).toBe(first);
    expect(spots.instructions).toHaveLength(events.length);
    expect(hotSpotTable(spots, 'hot spots').join('\n')).not.toContain('s_load_dword');
  });

  it('by branches are what decides which lanes go on, each of its own, with the line that it is from', () => {
    const branching = [
      ...events,
      spot('0x191c', 's_cbranch_execz 4', { executed: 8, taken: 1, split_before: 7, branch: true }),
    ];
    const spots = summarise(branching, { codeObject, table }, 'branches', sources);
    expect(spots.lines).toEqual([]);
    expect(spots.instructions.map(({ offset }) => offset)).toEqual(['0x1914', '0x191c', '0x1918']);
    const text = hotSpotTable(spots, 'hot spots').join('\n');
    expect(text).toContain('hot spots: instructions by branches that split waves');
    expect(text).toMatch(/executed +splits +taken +split before +at +instruction +line/);
    expect(text).toMatch(/8 +7 +- +- +0x1914 +s_and_saveexec_b64.* -/);
    expect(text).toMatch(/8 +- +1 +7 +0x191c +s_cbranch_execz 4 +deps\/src\/k\.hip:2/);
    expect(text).toMatch(/400 +- +396 +- +0x1918 +s_cbranch_scc1/);
    const straight = summarise(events.slice(0, 2), 'no', 'branches', sources);
    expect(hotSpotTable(straight, 'x').at(-1)).toMatch(/none has any/);
  });

  it('say so where nothing is of what is asked for', () => {
    const spots = summarise(events, 'no', 'scratch', sources);
    expect(hotSpotTable(spots, 'x')).toEqual(['x: instructions by bytes of private memory (no): none has any']);
  });

  it('are the lines of the source where the code names them: what their instructions did, together', () => {
    const spots = summarise(events, { codeObject, table }, 'executed', sources);
    expect(spots.lines).toEqual([
      {
        file: 'deps/src/k.hip',
        line: 2,
        text: 'y[i] = a * x[i]; [31m',
        figures: { executed: 1200, lanes: 38_400, vector_executed: 800, lds_bank_conflicts: 62, taken: 396 },
      },
      { file: 'deps/src/k.hip', line: 1, text: 'first line', figures: { executed: 4, bytes_read: 16 } },
    ]);
    expect(spots.instructions.find(({ offset }) => offset === '0x1914')).toMatchObject({ file: null, line: null });
    expect(hotSpotTable(spots, 'hot spots').join('\n')).toMatch(
      /1,200 +48\.0 +62 +396 +deps\/src\/k\.hip:2 +y\[i\] = a/,
    );
  });

  it('belong to the code object that the lines are of, and to no other', () => {
    const spots = summarise(events, { codeObject: 'd'.repeat(64), table }, 'executed', sources);
    expect(spots.lines).toEqual([]);
  });

  it('say how many more there are', () => {
    const many = Array.from({ length: 33 }, (_, index) =>
      spot(`0x${(0x2000 + 4 * index).toString(16)}`, 's_nop 0', {}),
    );
    expect(hotSpotTable(summarise(many, 'no', 'executed', sources), 'hot spots').at(-1)).toBe(
      '… and 13 more instructions (--json)',
    );
  });
});

describe('source files', () => {
  it('shows nothing of a file outside the workspace, whatever a code object names', () => {
    const [workspace, elsewhere] = [new TestWorkspace(), new TestWorkspace()];
    try {
      const sources = new SourceFiles(openReproducer(writeReproducer(workspace)));
      const secret = elsewhere.write('secret.txt', 'secret\n');
      expect(sources.shown(secret)).toBe(secret);
      expect(sources.line(secret, 1)).toBeNull();
      const mine = workspace.write('app/src/k.hip', 'mine\n');
      expect(sources.line(mine, 1)).toBe('mine');
      expect(sources.line(mine, 9)).toBeNull();
      expect(sources.line(workspace.path('none'), 1)).toBeNull();
    } finally {
      workspace.dispose();
      elsewhere.dispose();
    }
  });
});
