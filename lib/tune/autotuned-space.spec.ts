import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { autotunedSpace } from './autotuned-space';
import { configurations, readConstraints } from './space';

describe('the configurations of a kernel’s own autotuner', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-spec-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const python = (values: Readonly<Record<string, string>>): object =>
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, { python: text }]));
  const write = (json: object): void =>
    writeFileSync(
      join(folder, 'triton.json'),
      JSON.stringify({
        ...{ schema: 'kernloop.triton/1', compilation: null, sources: {}, launch: null, winners: [], problem: null },
        ...json,
      }),
    );
  const two = [
    python({ BLOCK: '128', num_warps: '2', kind: 'tl.float16' }),
    python({ kind: 'None', BLOCK: '1024', num_warps: '4' }),
  ];
  const values = [
    { BLOCK: 128, num_warps: 2, kind: 'tl.float16' },
    { BLOCK: 1024, num_warps: 4, kind: 'None' },
  ];

  it('are searched as they are, not as a grid of their values', () => {
    write({ configurations: two });
    const space = autotunedSpace(folder);
    expect(space).toEqual({
      configurations: values,
      parameters: [
        { name: 'BLOCK', values: [128, 1024] },
        { name: 'num_warps', values: [2, 4] },
        { name: 'kind', values: ['tl.float16', 'None'] },
      ],
    });
    const search = { search: 'grid', samples: 1, seed: 1, maxCandidates: 2 } as const;
    const found = (constraint: string[], more: object = {}) =>
      configurations(
        {
          parameters: space?.parameters ?? [],
          constraints: readConstraints(constraint),
          listed: space?.configurations,
        },
        {},
        { ...search, ...more },
      );
    expect(found([])).toEqual({ configurations: values, total: 2, excluded: 0 });
    expect(found(['BLOCK > 128'])).toEqual({ configurations: [values[1]], total: 2, excluded: 1 });
    expect(found([], { search: 'random', samples: 9 }).configurations).toHaveLength(2);
    expect(values).toContainEqual(found([], { search: 'random', samples: 1 }).configurations[0]);
  });

  it('are those that were tried, in a capture of an older version', () => {
    const trials = two.map((configuration) => ({ configuration, median: 1, chosen: false }));
    write({ tunings: [{ key: [], unit: 'ms', trials }] });
    expect(autotunedSpace(folder)?.configurations).toEqual(values);
  });

  it.each([
    ['no capture of Triton', null],
    ['a kernel without an autotuner', { configurations: [] }],
  ])('are none of %s', (_, json) => {
    if (json !== null) write(json);
    expect(autotunedSpace(folder)).toBeNull();
  });

  it.each([
    [[...two, python({ BLOCK: '1', num_warps: '1' })], 'not all configurations of @triton.autotune set kind'],
    [[python({ BLOCK: '(1, 2)' })], 'sets BLOCK to (1, 2), which is no number'],
    [[{ BLOCK: { unknown: 'an object' } }], 'sets BLOCK to an object'],
  ])('that cannot be written into reproducer.py are refused: %j', (recorded, what) => {
    write({ configurations: recorded });
    expect(() => autotunedSpace(folder)).toThrow(what);
  });
});
