interface Result {
  case: string;
  outcome: string;
  why?: string;
}
interface Transcript {
  feed(text: string): Result[];
  close(end: { code: number | null; signal?: string; late?: string; killed?: boolean }): Result[];
  readonly current?: string;
  readonly stopped: boolean;
}
interface Judge {
  Transcript: new (words: unknown) => Transcript;
  startOfProcess: string;
  endOfProcess: string;
  meaningOf: (message: string) => { outcome: string; stops: boolean; why: string } | undefined;
}
interface Kind {
  words: unknown;
}
interface Programs {
  kinds: Record<'gtest' | 'thrust' | 'ggml' | 'magma', Kind>;
  gtestCases: (text: string) => { cases: string[]; disabled: string[] };
  gtestFilter: (names: string[]) => string;
  ggmlCases: (text: string) => { cases: string[]; disabled: string[] };
  thrustCases: (text: string) => { cases: string[]; disabled: string[] };
}
type Row = Record<'drawn' | 'run' | 'not_run' | 'right' | 'wrong' | 'refused' | 'late' | 'skipped' | 'ended', number>;
interface Table {
  figuresOf: (row: object) => Row & { why: Record<string, Record<string, string[]>>; processes: object[] };
  checked: <T>(figures: T) => T;
  tableOf: (rows: object[], missing: object[]) => string;
  withEarlier: (now: Evidence, earlier?: Evidence) => Evidence;
}
interface Counts {
  run: number;
  right: number;
  wrong: number;
  others: string[];
}
interface Evidence {
  date: string;
  commit: string;
  kernloop: object;
  versions: object;
  not_installed: object[];
  rows: object[];
  remarks?: string[];
}

const { Transcript, meaningOf, startOfProcess, endOfProcess } = jest.requireActual<Judge>('./suites/judge.mjs');
const { kinds, gtestCases, gtestFilter, ggmlCases, thrustCases } =
  jest.requireActual<Programs>('./suites/programs.mjs');
const { figuresOf, checked, tableOf, withEarlier } = jest.requireActual<Table>('./suites/table.mjs');
const { drawn, spread, handOut, leftBehind, ofStart, ofTheNext, shardsOf } = jest.requireActual<{
  shardsOf: (
    listed: string[],
    drawn: { sample: number; offset: number },
    most: number,
  ) => { index: number; of: number; names: string[] }[];
  handOut: (waiting: string[], limit: number) => string[];
  leftBehind: (names: string[], records: Result[], end: { code: number | null; signal?: string }) => Result[];
  ofTheNext: (records: Result[], order: string[]) => Result[];
  ofStart: (record: Result, names: string[], others: number) => { oneByOne?: boolean; record?: Result };
  drawn: (cases: string[], every: number, offset?: number) => string[];
  spread: <T>(items: T[]) => T[];
}>('./suites/run.mjs');
const { countsOf, together } = jest.requireActual<{
  countsOf: (records: Result[]) => Counts;
  together: (all: Counts[]) => Counts;
}>('./suites/repeated.mjs');
const { aptReasons } = jest.requireActual<{ aptReasons: (text: string) => string }>('./suites/roots.mjs');

const refusal =
  'kernloop softgpu: unsupported instruction in kernel Cijk at pc 0x5000 (entry +0x40), instruction `buffer_load_dword v1, v2, s[0:3], s4 offen`, workgroup (0, 0, 0), wave 1, lane 3: buffer access whose range check depends on the scalar offset\n' +
  'kernloop softgpu: from now on every HIP call of this process returns hipErrorLaunchFailure (719), and no kernel runs any more\n';
const wild =
  'kernloop softgpu: memory access outside of every allocation in kernel k at pc 0x5 (entry +0x4), instruction `global_store_dword v0, v1, s[0:1]`, workgroup (0, 0, 0), wave 0, lane 0: write of 4 bytes at 0x12: nothing is near\n';

/** Outcomes of the cases of a program that printed `text` and ended with `end`. */
function judged(text: string, end: Parameters<Transcript['close']>[0] = { code: 0 }, kind: Kind = kinds.gtest) {
  const transcript = new Transcript(kind.words);
  const records = [...transcript.feed(text), ...transcript.close(end)];
  return { transcript, records, outcomes: records.map((record) => [record.case, record.outcome]) };
}

describe('the judge of a GoogleTest program', () => {
  const ok = '[ RUN      ] A/0.b\n[       OK ] A/0.b (3 ms)\n';

  it('takes each case for what the suite says of it, and wrong ones with the reason', () => {
    const { records } = judged(
      `${ok}[ RUN      ] A/0.c\nx.cpp:7: Failure\nExpected equality\n  1\n[  FAILED  ] A/0.c, where TypeParam = P<int, 3> (1 ms)\n` +
        '[ RUN      ] S.s\nx.cpp:9: Skipped\nno such device\n\n[  SKIPPED ] S.s (0 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A/0.c, where TypeParam = P<int, 3>\n',
      { code: 1 },
    );
    expect(records).toEqual([
      { case: 'A/0.b', outcome: 'right' },
      { case: 'A/0.c', outcome: 'wrong', why: 'x.cpp:7: Failure | Expected equality | 1' },
      { case: 'S.s', outcome: 'skipped', why: 'x.cpp:9: Skipped | no such device' },
    ]);
  });

  it.each([
    ['says that it is right', '[       OK ] A.b (1 ms)\n'],
    ['says that it is wrong', 'x.cpp:7: Failure\n[  FAILED  ] A.b (1 ms)\n'],
    ['dies of it', ''],
  ])('names the instruction of a refused case, even if the suite %s', (_, end) => {
    const { records, transcript } = judged(`[ RUN      ] A.b\n${refusal}${end}`, { code: 134, signal: 'SIGABRT' });
    expect(records).toEqual([
      {
        case: 'A.b',
        outcome: 'refused',
        why: 'unsupported instruction `buffer_load_dword v1, v2, s[0:3], s4 offen`: buffer access whose range check depends on the scalar offset',
      },
    ]);
    expect(transcript.stopped).toBe(true);
  });

  it('takes a wild access for wrong, and an access past LDS for nothing', () => {
    expect(judged(`[ RUN      ] A.b\n${wild}[       OK ] A.b (1 ms)\n`).outcomes).toEqual([['A.b', 'wrong']]);
    const note =
      'kernloop softgpu: LDS access out of range in kernel k at pc 0x5: hardware goes on, and so does this: it gives 0\n';
    const { outcomes, transcript } = judged(`[ RUN      ] A.b\n${note}[       OK ] A.b (1 ms)\n`);
    expect([outcomes, transcript.stopped]).toEqual([[['A.b', 'right']], false]);
    expect(judged(`[ RUN      ] A.b\n${note}[  FAILED  ] A.b (1 ms)\n`).outcomes).toEqual([['A.b', 'wrong']]);
  });

  it('blames a function that returned an error only if the case is not right', () => {
    const said =
      'kernloop softgpu: hsa_amd_ipc_memory_create is not supported: memory is not shared between processes\n';
    expect(judged(`[ RUN      ] A.b\n${said}[       OK ] A.b (1 ms)\n`).outcomes).toEqual([['A.b', 'right']]);
    const [failed] = judged(`[ RUN      ] A.b\n${said}[  FAILED  ] A.b (1 ms)\n`).records;
    expect(failed).toEqual(
      expect.objectContaining({
        outcome: 'refused',
        why: expect.stringMatching(/^hsa_amd_ipc_memory_create/) as string,
      }),
    );
  });

  it('finds the message and the word of a case behind other text on their lines', () => {
    const { outcomes } = judged(`[ RUN      ] A.b\nhalf a line${wild}more[  FAILED  ] A.b (1 ms)\n`);
    expect(outcomes).toEqual([['A.b', 'wrong']]);
  });

  it('does not blame a case for the message of the one before', () => {
    const { outcomes } = judged(
      `[ RUN      ] A.a\nkernloop softgpu: hsa_x is not supported: y\n[       OK ] A.a (1 ms)\n[ RUN      ] A.b\n[  FAILED  ] A.b (1 ms)\n`,
    );
    expect(outcomes).toEqual([
      ['A.a', 'right'],
      ['A.b', 'wrong'],
    ]);
  });

  it('leaves a case that begins after a stop to another process, and names a stop between two cases', () => {
    const next = '[ RUN      ] A.c\n[  FAILED  ] A.c (1 ms)\n';
    expect(judged(`[ RUN      ] A.b\n${refusal}[  FAILED  ] A.b (1 ms)\n${next}`).outcomes).toEqual([
      ['A.b', 'refused'],
    ]);
    expect(judged(`${ok}${refusal}${next}`).outcomes).toEqual([
      ['A/0.b', 'right'],
      ['(after A/0.b)', 'refused'],
    ]);
  });

  it('says by which signal a process ended in a case, and after the last', () => {
    const died = { code: 139, signal: 'SIGSEGV' };
    expect(judged(`${ok}[ RUN      ] A.c\n`, died).outcomes).toEqual([
      ['A/0.b', 'right'],
      ['A.c', 'ended'],
    ]);
    expect(judged(ok, died).outcomes).toEqual([
      ['A/0.b', 'right'],
      [endOfProcess, 'ended'],
    ]);
    expect(judged(ok, { code: 1 }).outcomes).toEqual([['A/0.b', 'right']]);
  });

  it.each([
    ['nothing', '', { code: 0 }, 'ended'],
    ['that no test matched', 'Note: filter\n[  PASSED  ] 0 tests.\n', { code: 0 }, 'ended'],
    ['that HSA does not start', 'kernloop softgpu: hsa_init fails: no memory\n', { code: 1 }, 'refused'],
    ['nothing in time', '', { code: null, late: 'no case began within 3 s', killed: true }, 'late'],
  ])('never takes a program for right that printed %s', (_, text, end, outcome) => {
    expect(judged(text, end).outcomes).toEqual([[startOfProcess, outcome]]);
  });

  it('tells a case that took too long from one that was stopped for another reason', () => {
    const late = { code: null, late: 'no end within 60 s', killed: true };
    expect(judged(`${ok}[ RUN      ] A.c\n`, late).records[1]).toEqual({
      case: 'A.c',
      outcome: 'late',
      why: 'no end within 60 s',
    });
    expect(judged(`${ok}[ RUN      ] A.c\n`, { code: null, killed: true }).outcomes).toEqual([['A/0.b', 'right']]);
    expect(judged('', { code: null, signal: 'SIGKILL', killed: true }).outcomes).toEqual([]);
  });

  it('comes to the same wherever the output is cut', () => {
    const text = `${ok}[ RUN      ] A.c\n${refusal}[  FAILED  ] A.c (1 ms)\n`;
    const whole = judged(text).records;
    for (let at = 0; at <= text.length; ++at) {
      const transcript = new Transcript(kinds.gtest.words);
      const records = [...transcript.feed(text.slice(0, at)), ...transcript.feed(text.slice(at))];
      expect([...records, ...transcript.close({ code: 1 })]).toEqual(whole);
    }
  });
});

describe('messages of the software GPU', () => {
  it.each([
    ['unknown instruction in kernel k at pc 0x1, instruction `0x7c1600ff 0xffffcc40`', 'refused', true],
    ['packet 7: vendor packets of format 1 (1 is PM4 commands) are not supported', 'refused', true],
    ['instruction limit reached in kernel k', 'late', true],
    ['misaligned access in kernel k at pc 0x1', 'wrong', true],
    ['internal error: bad', 'wrong', true],
    ['code object: code for machine 0x53 does not run on gfx1030', 'refused', true],
    ['hsa_x is not supported: y', 'refused', false],
  ])('%s: %s', (message, outcome, stops) => {
    expect(meaningOf(message)).toEqual(expect.objectContaining({ outcome, stops }));
  });
});

describe("GoogleTest's list", () => {
  const list =
    'Query device success: there are 1 devices\n  Device ID 0 : AMD\nSuite.\n  One\n  Two\nTyped/0.  # TypeParam = P<int>\n  DISABLED_T\n  T\nAll/Value.\n  Is/0  # GetParam() = (1, 2)\nDone.\nDISABLED_S.\n  x\n';
  it('has each case by its full name, and disabled ones apart', () => {
    expect(gtestCases(list)).toEqual({
      cases: ['Suite.One', 'Suite.Two', 'Typed/0.T', 'All/Value.Is/0'],
      disabled: ['Typed/0.DISABLED_T', 'DISABLED_S.x'],
    });
  });

  it('becomes a filter without characters that mean something in one', () => {
    expect(gtestFilter(['A.b/m-1', 'A.c*'])).toBe('--gtest_filter=A.b/m?1:A.c?');
  });
});

it("reads the words of Thrust's own framework", () => {
  const text =
    'Device 0: "Software AMD GPU"  [SELECTED]\nRunning 4 unit tests.\nRunning TestA...\r[PASS]    381.284 ms TestA\nRunning TestB...\r[FAILURE]      8.352 ms TestB\n' +
    `Running TestC...\r${refusal}[ERROR]      1 ms TestC\nRunning TestD...\r`;
  expect(judged(text, { code: 139, signal: 'SIGSEGV' }, kinds.thrust).outcomes).toEqual([
    ['TestA', 'right'],
    ['TestB', 'wrong'],
    ['TestC', 'refused'],
  ]);
});

it("keeps the arguments of a template in the names of Thrust's tests", () => {
  const name = 'TestValue<thrust::device_vector>';
  expect(thrustCases(`Device 0: "x"\nTestA\n${name}\n`).cases).toEqual(['TestA', name]);
  const text = `Running ${name}...\r[PASS]     1.5 ms ${name}\n`;
  expect(judged(text, { code: 0 }, kinds.thrust).outcomes).toEqual([[name, 'right']]);
});

describe('cases that a process did not come to', () => {
  const [a, b, c] = ['a', 'b', 'c'];
  const records = [{ case: a, outcome: 'right' }];
  it('wait for another process behind a signal, and are ended behind an exit', () => {
    expect(leftBehind([a, b, c], records, { code: 134, signal: 'SIGABRT' })).toEqual([]);
    expect(leftBehind([b], records, { code: 134, signal: 'SIGABRT' })).toHaveLength(1);
    expect(leftBehind([a, b, c], records, { code: 0 }).map((one) => [one.case, one.outcome])).toEqual([
      [b, 'ended'],
      [c, 'ended'],
    ]);
  });

  it('get a process each if none began, unless the program never ran any', () => {
    const start = { case: startOfProcess, outcome: 'ended', why: 'SIGABRT' };
    expect(ofStart(start, [a, b], 1)).toEqual({ oneByOne: true });
    expect(ofStart(start, [b], 1)).toEqual({ record: { ...start, case: b } });
    expect(ofStart(start, [a, b], 0)).toEqual({ record: start });
    expect(ofStart({ ...start, outcome: 'late' }, [a, b], 1).record?.outcome).toBe('late');
  });
});

describe('test-backend-ops of ggml', () => {
  const green = '\u001b[1;32mOK\u001b[0m';
  it('gives a case a line', () => {
    const text = `Testing 2 devices\n  ADD(type=f32,ne=[1,2]): ${green}\n  MUL(type=f16): [MUL] NMSE = 0.5 > 0.1 \u001b[1;31mFAIL\u001b[0m\n  SQR(type=f32): not supported [ROCm0] \n  3/3 tests passed\n  EXP(type=f16): `;
    const { records } = judged(text, { code: 139, signal: 'SIGSEGV' }, kinds.ggml);
    expect(records.map((record) => [record.case, record.outcome])).toEqual([
      ['ADD(type=f32,ne=[1,2])', 'right'],
      ['MUL(type=f16)', 'wrong'],
      ['SQR(type=f32)', 'skipped'],
      ['EXP(type=f16)', 'ended'],
    ]);
  });

  it('gives a failed case its error first, on the same line', () => {
    const failed = '\u001b[1;31mFAIL\u001b[0m';
    const text = `[MUL_MAT] ERR = 1.000000067 > 0.000500000   MUL_MAT(type_a=nvfp4,m=16): ${failed}\n[ADD] NaN at index 3 (ROCm0=nan CPU=0.5)   ADD(n=1): ${failed}\n  SUB(n=1): ${green}\n\nFailing tests:\n  MUL_MAT(type_a=nvfp4,m=16)\n  ADD(n=1)\n`;
    const { records } = judged(text, { code: 1 }, kinds.ggml);
    expect(records.map((record) => [record.case, record.outcome, record.why])).toEqual([
      ['MUL_MAT(type_a=nvfp4,m=16)', 'wrong', '[MUL_MAT] ERR = 1.000000067 > 0.000500000'],
      ['ADD(n=1)', 'wrong', '[ADD] NaN at index 3 (ROCm0=nan CPU=0.5)'],
      ['SUB(n=1)', 'right', undefined],
    ]);
  });

  it('names a case with its result: what stopped the process before was the next case', () => {
    const named = (text: string, order: string[], end?: Parameters<Transcript['close']>[0]) =>
      ofTheNext(judged(text, end, kinds.ggml).records, order).map((record) => [record.case, record.outcome]);
    const died = { code: 134, signal: 'SIGABRT' };
    const order = ['ADD(n=1)', 'MUL(n=1)', 'SQR(n=1)'];
    const first = `  ADD(n=1): ${green}\n`;
    expect(named(first + wild, order, died)).toEqual([
      ['ADD(n=1)', 'right'],
      ['MUL(n=1)', 'wrong'],
    ]);
    expect(named(refusal, order, died)).toEqual([['ADD(n=1)', 'refused']]);
    expect(named('', order, died)).toEqual([['ADD(n=1)', 'ended']]);
    expect(named(first, order, died)).toEqual([
      ['ADD(n=1)', 'right'],
      ['MUL(n=1)', 'ended'],
    ]);
    expect(named(first, ['ADD(n=1)'], died).at(-1)?.[0]).toBe(endOfProcess);
    expect(kinds.ggml).toMatchObject({ namesLast: true });
  });

  it('lists what the backend supports', () => {
    const text =
      '  ADD(type=f32): \u001b[1;32mSUPPORTED\u001b[0m\n  SQR(type=f32): \u001b[1;31mNOT SUPPORTED\u001b[0m\n';
    expect(ggmlCases(text)).toEqual({ cases: ['ADD(type=f32)'], disabled: ['SQR(type=f32)'] });
  });
});

describe('testers of MAGMA', () => {
  const summary = (text: string) => judged(`case testing_sgemm\n${text}`, { code: 0 }, kinds.magma).records[0];
  it.each([
    ['all 12 tests in 4 commands passed!\n', 'right'],
    ['all 0 tests in 0 commands passed!\n', 'skipped'],
    ['all 0 tests in 2 commands passed!\n', 'ended'],
    ['   9 tests in 4 commands passed\n   3 tests failed accuracy test\n   0 errors detected\n', 'wrong'],
    ['   9 tests in 4 commands passed\n   0 tests failed accuracy test\n   1 errors detected\n', 'wrong'],
    ['', 'ended'],
  ])('%j: %s', (text, outcome) => {
    expect(summary(text)?.outcome).toBe(outcome);
  });
});

describe('a sample', () => {
  it('is every N-th case from the offset on, and one at least', () => {
    expect(drawn(['a', 'b', 'c', 'd', 'e'], 2, 1)).toEqual(['b', 'd']);
    expect(drawn(['a', 'b'], 50, 7)).toEqual(['b']);
    expect(drawn(['a', 'b'], 1)).toEqual(['a', 'b']);
  });

  it('goes to its processes by quarters, each case once, and never more than a process takes', () => {
    const waiting = Array.from({ length: 30 }, (_, index) => String(index));
    const parts: string[][] = [];
    while (waiting.length > 0) parts.push(handOut(waiting, 7));
    expect(parts.map(({ length }) => length)).toEqual([7, 6, 5, 3, 3, 2, 1, 1, 1, 1]);
    expect(parts.flat()).toEqual(Array.from({ length: 30 }, (_, index) => String(index)));
    expect(handOut(waiting, 7)).toEqual([]);
  });

  // As GoogleTest numbers them (gtest.cc, ShouldRunTestOnShard): the N-th selected test is of shard N modulo their number.
  it.each([
    [1, 0, 4],
    [3, 1, 2],
    [3, 7, 2],
  ])('of every %i-th case from %i on is in %i shards, each case once', (sample, offset, count) => {
    const listed = Array.from({ length: 31 }, (_, index) => `S.t${index}`);
    const shards = shardsOf(listed, { sample, offset }, 8);
    expect(shards).toHaveLength(count);
    for (const { index, of, names } of shards)
      expect(names).toEqual(listed.filter((name) => Number(name.slice(3)) % of === index));
    expect(shards.flatMap(({ names }) => names).sort()).toEqual([...drawn(listed, sample, offset)].sort());
  });

  it('of programs loses none', () => {
    const all = Array.from({ length: 40 }, (_, index) => index);
    expect([...spread(all)].sort((a, b) => a - b)).toEqual(all);
  });
});

it('counts each repetition of a case, and names those that were not right', () => {
  const right = '[ RUN      ] A.b\n[       OK ] A.b (1 ms)\n';
  const wrong = '[ RUN      ] A.b\nx.cpp:7: Failure\n[  FAILED  ] A.b (1 ms)\n';
  const next = '\nRepeating all tests (iteration 2) . . .\n\n';
  const counts = countsOf(judged([right, wrong, right].join(next), { code: 1 }).records);
  expect(counts).toMatchObject({ run: 3, right: 2, wrong: 1, others: ['A.b: wrong: x.cpp:7: Failure'] });
  expect(together([counts, counts])).toMatchObject({ run: 6, right: 4, wrong: 2 });
});

describe('the table', () => {
  const row = (records: Result[], wanted: string[], more: object = {}) => ({
    ...{ release: 'sid', suite: 'rocprim', target: 'gfx90a', packages: {}, code: '' },
    programs: [
      { path: '/x/test_a', listed: wanted, wanted, results: new Map(records.map((one) => [one.case, one])) },
      { path: '/x/test_b', results: new Map() },
    ],
    ...more,
  });
  const records = [
    { case: 'a', outcome: 'right' },
    { case: 'b', outcome: 'wrong', why: 'w' },
    { case: 'c', outcome: 'refused', why: 'r' },
    { case: endOfProcess, outcome: 'ended', why: 'SIGSEGV' },
  ];

  it('counts each drawn case once, and processes apart', () => {
    const figures = checked(figuresOf(row(records, ['a', 'b', 'c', 'd'])));
    expect(figures).toEqual(
      expect.objectContaining({ drawn: 4, run: 3, not_run: 1, right: 1, wrong: 1, refused: 1, ended: 0, late: 0 }),
    );
    expect(figures.why['wrong']).toEqual({ w: ['test_a: b'] });
    expect(figures.processes).toHaveLength(1);
  });

  it('is an error if its figures do not add up', () => {
    const figures = figuresOf(row(records, ['a', 'b', 'c']));
    expect(() => checked({ ...figures, right: 2 })).toThrow(/do not add up/);
    expect(() => checked(figuresOf(row([{ case: 'a', outcome: 'fine' }], ['a'])))).toThrow(/do not add up/);
  });

  it('keeps what an earlier run has of rows and suites that this one did not come to', () => {
    const one = (suite: string, target: string, run: number, more: object = {}) => ({
      ...{ release: 'sid', suite, target, run },
      ...more,
    });
    const missing = (suite: string) => ({ release: 'sid', suite, why: 'no package' });
    const head = (date: string) => ({ date, commit: `of ${date}`, kernloop: {} });
    const earlier = {
      ...head('1st'),
      remarks: ['one CPU'],
      versions: { trixie: { hip: '5' }, sid: { hip: '6' } },
      not_installed: [missing('rccl'), missing('rocblas')],
      rows: [
        one('rocprim', 'gfx90a', 3),
        one('rocprim', 'gfx1030', 4),
        one('hipcub', 'gfx90a', 0),
        one('rocfft', 'gfx90a', 5, { of: { date: '0th' } }),
        one('rocfft', 'gfx1030', 0),
      ],
    };
    const now = {
      ...head('2nd'),
      versions: { sid: { hip: '7' } },
      not_installed: [missing('rocblas')],
      rows: [one('rocprim', 'gfx90a', 1), one('rocprim', 'gfx1030', 0), one('hipcub', 'gfx90a', 0)],
    };
    expect(withEarlier(now)).toEqual(now);
    expect(withEarlier(now, earlier)).toEqual({
      ...head('2nd'),
      remarks: ['one CPU'],
      versions: { trixie: { hip: '5' }, sid: { hip: '7' } },
      not_installed: [missing('rocblas'), missing('rccl')],
      rows: [
        one('rocprim', 'gfx90a', 1),
        one('rocprim', 'gfx1030', 4, { of: head('1st') }),
        one('hipcub', 'gfx90a', 0),
        one('rocfft', 'gfx90a', 5, { of: { date: '0th' } }),
        one('rocfft', 'gfx1030', 0),
      ],
    });
  });

  it('adds up its columns, and names what is not installed and programs that were not come to', () => {
    const figures = figuresOf(row(records, ['a', 'b', 'c', 'd']));
    const lines = tableOf([figures, figures], [{ release: 'sid', suite: 'rccl', why: 'no package' }]).split('\n');
    expect(lines[2]).toBe('| sid | rocprim | gfx90a | 1 | 1 | 1 | 0 | 0 | 0 | 1 and 1 of 2 programs |');
    expect(lines[4]).toBe('| | all | | 2 | 2 | 2 | 0 | 0 | 0 | 2 |');
    expect(lines[5]).toMatch(/sid \| rccl \| not installed: no package/);
  });
});

it('says which dependency keeps a package out', () => {
  const text =
    'The following packages have unmet dependencies:\n x : Depends: y but it is not going to be installed\nE: Unable to satisfy dependencies. Reached two conflicting assignments:\n   1. x is selected for install\n   2. libamdhip64-5:amd64 Depends libamd-comgr2 (>= 6.0)\n      but none of the choices are installable:\n      [no choices]\n';
  expect(aptReasons(text)).toBe('libamdhip64-5:amd64 Depends libamd-comgr2 (>= 6.0), which no package satisfies');
  expect(aptReasons('E: Unable to fetch some archives\n')).toBe('Unable to fetch some archives');
});
