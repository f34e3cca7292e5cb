import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import type { ReplaySession } from '../replay/session';
import { columnsOf, hasRun, isSelection, oneSidedPlaces } from './coverage';
import { doubtsOf, isPlainDivision, sortEdit, withKeptConditions } from './doubts';
import { hasOtherLines } from './edit';
import { editedLines } from './edited-lines';
import { changesIn, newLines } from './new-lines';
import { editedLineWords as wordsWithProfile, ofCapturedInput, unseenWords } from './edited-lines-text';

const editedLineWords = (report: Parameters<typeof wordsWithProfile>[0]) => wordsWithProfile(report, () => null);

const otherInputs =
  '`--inputs 8` tries other scalars, and array values of the captured range; another run of the app, with other arguments or input files (`command` in kernloop.json, then `kernloop extract`), may reach that, and so may `"dispatch": [1, 2]` in kernloop.json, if the app launches it more often';

describe('the lines of an edit', () => {
  it.each([
    ['nothing', 'a\nb\n', 'a\nb\n', []],
    ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', [2]],
    ['an added line', 'a\nc\n', 'a\nb\nc\n', [2]],
    ['a removed line', 'a\nb\nc\n', 'a\nc\n', []],
    ['lines behind a removed one', 'a\nb\nc\n', 'c\nd\n', [2]],
    ['two places', 'a\nb\nc\nd\n', 'a\nx\ny\nc\nd\nz\n', [2, 3, 6]],
    ['a new file', '', 'a\nb\n', [1, 2]],
    ['no end of the last line', 'a\nb', 'a\nc', [2]],
    ['ends of lines alone', 'a\r\nb\r\n', 'a\nb\n', []],
  ])('%s', (_, before, after, lines) => {
    expect(newLines(before, after)).toEqual(lines);
  });

  it('ran if a lane executed one of their instructions: a short branch has no jump around it', () => {
    const event = { event: 'hot_spot' as const, pc: '0x0', instruction: 'i', executed: 16 };
    expect(hasRun({ ...event, vector: true, lanes: 0 })).toBe(false);
    expect(hasRun({ ...event, vector: true, lanes: 3 })).toBe(true);
    expect(hasRun(event)).toBe(true);
  });

  it.each([
    ['a\n#line 200\nb\n', true],
    ['  #  12 "k.hip"\n', true],
    ['a\rb\n', true],
    ['a\r\n#if 1\r\n#define line 3\r\n// #line 4\r\n#endif\r\n', false],
  ])('are those of the compiler, or not: %j', (text, others) => {
    expect(hasOtherLines(text)).toBe(others);
  });

  it('are sorted by whether they have code, and whether any or all of it ran', () => {
    const edited = [1, 2, 3, 4, 5].map((line) => ({ file: 'k.hip', line }));
    const places = (...all: [line: number, column: number][]) =>
      columnsOf(all.map(([line, column]) => ({ file: 'k.hip', line, column })));
    const withCode = places([1, 3], [2, 3], [2, 9], [4, 3], [4, 20], [4, 30], [5, 0], [5, 7]);
    const sides = { selects: places(), oneSided: places() };
    // A branch body in the line of its condition; an instruction without a column that did not run.
    const found = sortEdit(edited, { withCode, ran: places([1, 3], [4, 3], [5, 7]), ...sides });
    expect(found).toEqual({
      edited: 5,
      without_code: 1,
      not_run: [{ file: 'k.hip', line: 2 }],
      partly_run: [{ file: 'k.hip', line: 4, column: 20 }],
      selects: [],
      one_sided: [],
    });
    const other = columnsOf([{ file: 'other.hip', line: 1, column: 3 }]);
    expect(sortEdit(edited.slice(0, 1), { withCode, ran: other, selects: other, oneSided: other }).not_run).toEqual([
      { file: 'k.hip', line: 1 },
    ]);
  });

  it.each([
    ['nothing', 'a\nb\n', 'a\nb\n', []],
    ['two changes', 'a\nb\nc\nd\n', 'a\nx\ny\nc\nd\nz\n', [2, 6]],
    ['a removed line', 'a\nbarrier\nc\n', 'a\nc\n', [2]],
    ['a removed last line', 'a\nb\n', 'a\n', [1]],
    ['an added line', 'a\nc\n', 'a\nb\nc\n', [2]],
  ])('begin where the text differs: %s', (_, before, after, lines) => {
    expect(changesIn(before, after)).toEqual(lines);
  });

  it('are named where no instruction of them ran, or of a part of them, and else nothing is said', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ file: 'k.hip', line: index + 1 }));
    const words = (count: number, without: number, partly = 0) =>
      editedLineWords({
        verdict: 'pass',
        edited_lines: {
          ...{ edited: 14, without_code: without, not_run: lines(count) },
          partly_run: lines(partly).map((line) => ({ ...line, column: 9 })),
        },
      });
    expect(words(2, 3)).toEqual([
      'no instruction of 2 of 14 edited lines ran: k.hip:1, k.hip:2; 3 have no code of their own',
      otherInputs,
    ]);
    expect(words(1, 1)).toContain('no instruction of 1 of 14 edited lines ran: k.hip:1; 1 has no code of its own');
    expect(words(7, 0)).toEqual([
      'no instruction of 7 of 14 edited lines ran: k.hip:1, k.hip:2, k.hip:3, k.hip:4, k.hip:5, and 2 more',
      otherInputs,
    ]);
    expect(words(0, 3, 1)).toEqual(['a part of 1 of 14 edited lines never ran: k.hip:1 from column 9', otherInputs]);
    expect([words(0, 3), editedLineWords({ verdict: 'pass' })]).toEqual([[], []]);
  });

  it('precede the summary of a pass where a replay executed none, or a part, or saw one side of a selection', () => {
    const line = { file: 'k.hip', line: 3 };
    const words = (edited: number, idle: number, partly = 0, selects = 0) =>
      unseenWords({
        ...{ edited, without_code: 0, not_run: Array.from({ length: idle }, () => line) },
        partly_run: Array.from({ length: partly }, () => ({ ...line, column: 9 })),
        selects: Array.from({ length: selects }, () => line),
      });
    expect([words(2, 0), unseenWords({ edited: 2, without_code: 0, not_run: [] })]).toEqual(['', '']);
    expect(words(14, 2)).toBe('NOT judged: 2 of 14 edited lines, which never ran; ');
    expect(words(1, 0, 1)).toBe('NOT judged: a part of 1 of 1 edited line, which never ran; ');
    expect(words(14, 2, 1, 1)).toBe(
      'NOT judged: 2 of 14 edited lines and a part of 1 of 14 edited lines, which never ran; NOT seen: which value 1 of 14 edited lines selected; ',
    );
  });

  it('select a value if they are edited, ran as a whole and hold an executed selection', () => {
    const places = (...all: [line: number, column: number][]) =>
      columnsOf(all.map(([line, column]) => ({ file: 'k.hip', line, column })));
    const edited = [1, 2, 3, 4].map((line) => ({ file: 'k.hip', line }));
    // Line 2 selects and has a part that never ran; line 4 has a selection that never ran; line 9 is not of the edit.
    const withCode = places([1, 3], [1, 9], [2, 3], [2, 20], [3, 3], [4, 3], [9, 3]);
    const ran = places([1, 3], [1, 9], [2, 3], [3, 3], [9, 3]);
    const none = places();
    const found = sortEdit(edited, { withCode, ran, selects: places([1, 9], [2, 3], [9, 3]), oneSided: none });
    expect(found).toMatchObject({
      not_run: [{ file: 'k.hip', line: 4 }],
      partly_run: [{ file: 'k.hip', line: 2, column: 20 }],
      selects: [{ file: 'k.hip', line: 1 }],
    });
    const elsewhere = columnsOf([{ file: 'other.hip', line: 1, column: 9 }]);
    expect(sortEdit(edited, { withCode, ran, selects: elsewhere, oneSided: none }).selects).toEqual([]);
  });

  it('never ran in part only if they have parts: a copy that the compiler made is none', () => {
    const edited = [{ file: 'k.hip', line: 1 }];
    const [withCode, ran] = [[3, 20], [3]].map((columns) =>
      columnsOf(columns.map((column) => ({ file: 'k.hip', line: 1, column }))),
    ) as [ReturnType<typeof columnsOf>, ReturnType<typeof columnsOf>];
    const none = columnsOf([]);
    const coverage = {
      ...{ withCode, ran, selects: none, oneSided: none, oneSidedSelections: none },
      decides: none,
      doubtedCalls: none,
    };
    const partly = (text: string) =>
      doubtsOf([{ file: 'k.hip', before: '', after: text, lines: [1] }], { ...coverage, executed: new Map() })
        .partly_run;
    expect(partly('sum += v[k] * x[c[k]] + v[k + 1];\n')).toEqual([]);
    for (const text of ['if (a) b();', 'b = a ? c : d;', 'for (; k < n; ++k) b();', 'v = CLAMP(v, 0, 9) + w;'])
      expect(partly(`${text}\n`)).toEqual([{ ...edited[0], column: 20 }]);
  });

  it('have one side of a condition where all its copies came out the same in every lane', () => {
    const place = (line: number, column: number) => ({ file: 'k.hip', line, column });
    const at = new Map<number, ReturnType<typeof place>>([
      ...[[0x10, place(1, 3)] as const, [0x14, place(2, 3)] as const, [0x18, place(2, 3)] as const],
      ...[[0x1c, place(3, 3)] as const, [0x20, place(3, 9)] as const],
    ]);
    const event = (address: number, held: number, failed: number) => ({
      ...{ event: 'hot_spot' as const, pc: '0x0', instruction: 'v_cmp_gt_u32', executed: 1 },
      ...{ offset: `0x${address.toString(16)}`, true_lanes: held, false_lanes: failed },
    });
    const events = [
      // Two dispatches, one side each.
      ...[event(0x10, 64, 0), event(0x10, 0, 64)],
      // Two copies of one condition.
      ...[event(0x14, 64, 0), event(0x18, 0, 3)],
      // Two conditions in a line, of which one has seen both.
      ...[event(0x1c, 1, 63), event(0x20, 0, 64)],
      event(0x99, 1, 0),
    ];
    const found = oneSidedPlaces(events, (address) => at.get(address));
    expect(found).toEqual([place(3, 9)]);
    const edited = [1, 2, 3].map((line) => ({ file: 'k.hip', line }));
    const all = columnsOf([...at.values()]);
    const seen = { withCode: all, ran: all, selects: columnsOf([]), oneSided: columnsOf(found) };
    expect(sortEdit(edited, seen).one_sided).toEqual([{ file: 'k.hip', line: 3 }]);
    // A part that never ran says more.
    expect(sortEdit(edited, { ...seen, ran: columnsOf([place(3, 9)]) }).one_sided).toEqual([]);
  });

  it('keep no doubt of a condition that stays with its statement, and get one under a selection of another line', () => {
    const before = 'int x;\nif (b < 64) x = 1;\nif (c)\n  x = 2;\n';
    const after = 'int y;\nif (b < 64u) { x = 1; }\nif (c)\n  x = 3;\n';
    const line = (number: number) => ({ file: 'k.hip', line: number });
    const at = columnsOf([2, 3].map((number) => ({ ...line(number), column: 5 })));
    const seen = { withCode: at, ran: at, selects: columnsOf([]), oneSided: at, oneSidedSelections: at };
    const told = (text: string) => {
      const lines = newLines(before, text) ?? [];
      const files = [{ file: 'k.hip', before, after: text, lines }];
      return withKeptConditions(sortEdit(lines.map(line), seen), files, seen);
    };
    expect(told(after)).toMatchObject({ edited: 3, one_sided: [{ ...line(4), condition_line: 3 }], selects: [] });
    expect(told(after.replace('{ x = 1', '{ x = 0')).one_sided).toEqual([line(2), { ...line(4), condition_line: 3 }]);
    const minimum = { ...seen, oneSided: columnsOf([]), oneSidedSelections: columnsOf([]), selects: at };
    const files = [{ file: 'k.hip', before, after, lines: [1, 2, 4] }];
    expect(withKeptConditions(sortEdit([1, 2, 4].map(line), minimum), files, minimum)).toMatchObject({
      ...{ one_sided: [], selects: [line(2), { ...line(4), condition_line: 3 }] },
    });
    // Places of another file are not those of this one.
    const other = [{ file: 'other.hip', before, after, lines: [1, 2, 4] }];
    expect(withKeptConditions(sortEdit([line(2)], seen), other, seen).one_sided).toEqual([line(2)]);
  });

  it('under a condition of another line, and conditions that were removed, are named after a pass', () => {
    const lines = {
      ...{ edited: 3, without_code: 2, not_run: [] },
      one_sided: [
        { file: 'k.hip', line: 4 },
        { file: 'k.hip', line: 9, condition_line: 8 },
      ],
      removed: [{ file: 'k.hip', line: 12, text: 'if (b >= BINS) b = BINS - 1;' }],
    };
    expect(editedLineWords({ verdict: 'pass', edited_lines: lines })).toEqual([
      'k.hip:4 has a condition that came out the same in every lane: its other side was not seen',
      'k.hip:9 (under line 8) depends on a condition that came out the same in every lane: its other side was not seen',
      'k.hip:12 lacks the removed `if (b >= BINS) b = BINS - 1;`: inputs for which that matters were not seen',
      otherInputs,
    ]);
    expect(editedLineWords({ verdict: 'fail', edited_lines: lines })).toEqual([]);
    expect(unseenWords(lines)).toBe(
      'NOT seen: the other side of a condition in 2 of 3 edited lines; NOT seen: whether 1 removed condition matters; ',
    );
  });

  it('that were removed are named with what the captured kernel shows of them', () => {
    const line = (seen: 'not run' | 'one side' | 'not told', number: number, text: string) => ({
      ...{ file: 'k.hip', line: number, seen, text },
    });
    const lines = {
      ...{ edited: 0, without_code: 0, not_run: [] },
      removed_lines: [line('not run', 3, 'a();'), line('one side', 4, 'if (b)'), line('one side', 5, 'c();')],
    };
    const unseen = 'inputs for which that matters were not seen';
    expect(editedLineWords({ verdict: 'pass', edited_lines: lines })).toEqual([
      `removed: pristine/k.hip:3 \`a();\`, which never ran in the captured kernel either: ${unseen}`,
      `removed: pristine/k.hip:4 \`if (b)\`, which came out the same in every lane of the captured kernel: ${unseen}`,
      `removed: pristine/k.hip:5 \`c();\`, which depends on a condition that came out the same in every lane of the captured kernel: ${unseen}`,
      otherInputs,
    ]);
    expect(editedLineWords({ verdict: 'fail', edited_lines: lines })).toEqual([]);
    expect(unseenWords(lines)).toBe(
      'NOT judged: 1 removed line, which never ran before either; NOT seen: whether 2 removed lines matter; ',
    );
    const condition = { ...lines, removed_lines: [line('not told', 4, 'if (b)')] };
    expect(unseenWords(condition)).toBe('NOT seen: whether 1 removed condition matters; ');
    const moved = { ...line('one side', 4, 'if (b)'), moved: true as const };
    expect(unseenWords({ ...lines, removed_lines: [moved] })).toBe('NOT seen: whether 1 moved condition matters; ');
    expect(unseenWords({ ...lines, removed_lines: [moved, line('one side', 9, 'a();')] })).toBe(
      'NOT seen: whether 2 moved or removed lines matter; ',
    );
    expect(editedLineWords({ verdict: 'pass', edited_lines: { ...lines, removed_lines: [moved] } })[0]).toBe(
      `moved: pristine/k.hip:4 \`if (b)\`, which came out the same in every lane of the captured kernel: ${unseen}`,
    );
  });

  it('in other kernels alone are not judged', () => {
    const lines = { edited: 0, without_code: 0, not_run: [], other_kernels: ['_Z6reducePKiPii', '_Z4axpyIiEvPT_'] };
    expect(unseenWords(lines)).toBe('NOT judged: 2 other kernels that the edit is in; ');
    expect(editedLineWords({ verdict: 'pass', edited_lines: lines })).toEqual([
      'the edit is in _Z6reducePKiPii, _Z4axpyIiEvPT_, which this project does not judge: `kernloop extract` makes a project of each',
    ]);
    expect(editedLineWords({ verdict: 'fail', edited_lines: lines })).toEqual([]);
  });

  it('that ran as a whole, and choose nothing, are those of the captured input', () => {
    const lines = { edited: 2, without_code: 0, not_run: [] };
    const inputs = { asked: 8, seed: 1, judged: 8, dropped: 0, failed: null, reason: null, tried: [] };
    const words = 'judged with the captured input alone: `--inputs 8` derives others from it';
    expect(ofCapturedInput({ verdict: 'pass', edited_lines: lines })).toEqual([words]);
    for (const other of [
      { verdict: 'fail' as const, edited_lines: lines },
      { verdict: 'pass' as const },
      { verdict: 'pass' as const, edited_lines: lines, inputs },
      { verdict: 'pass' as const, edited_lines: { ...lines, not_run: [{ file: 'k.hip', line: 1 }] } },
    ])
      expect(ofCapturedInput(other)).toEqual([]);
  });

  it('that lack several conditions have the text of each', () => {
    const removed = Array.from({ length: 7 }, (_, index) => ({
      file: 'k.hip',
      line: 12,
      text: `if (a > ${index}) return;`,
    }));
    const lines = { edited: 3, without_code: 2, not_run: [], removed };
    expect(editedLineWords({ verdict: 'pass', edited_lines: { ...lines, removed: removed.slice(0, 2) } })[0]).toBe(
      'k.hip:12 lacks the removed `if (a > 0) return;`, k.hip:12 lacks `if (a > 1) return;`: inputs for which that matters were not seen',
    );
    expect(editedLineWords({ verdict: 'pass', edited_lines: lines })[0]).toMatch(
      /`if \(a > 4\) return;`, and 2 more: inputs/,
    );
  });

  it('that may depend on less of their input are named after a pass', () => {
    const place = { file: 'k.hip', line: 4 };
    const lines: Parameters<typeof unseenWords>[0] = {
      ...{ edited: 3, without_code: 0, not_run: [] },
      narrowed: [
        { ...place, kind: 'parameter', text: 'n', change: 'removed' },
        { ...place, line: 5, kind: 'parameter', text: 'n', change: 'removed' },
        { ...place, line: 6, kind: 'type', text: 'short', change: 'put' },
        { ...place, line: 7, kind: 'type', text: 'double', change: 'removed' },
      ],
    };
    expect(editedLineWords({ verdict: 'pass', edited_lines: lines })).toEqual([
      'k.hip:4 lacks the removed `n`, which had one value in all that was judged',
      'k.hip:5 lacks the removed `n`, which had one value in all that was judged',
      'k.hip:6 has `short`: values that it changes were not seen, or made no difference',
      'k.hip:7 lacks the removed `double`: values that it changes were not seen, or made no difference',
      otherInputs,
    ]);
    expect(editedLineWords({ verdict: 'fail', edited_lines: lines })).toEqual([]);
    expect(unseenWords(lines)).toBe(
      'NOT seen: whether another n matters; NOT seen: values that 2 edited lines may narrow; ',
    );
  });

  it.each([
    ['b = b % bins;', true],
    ['const int row = i / width;', true],
    ['b = (b / 2) % bins;', true],
    ['b = b % bins > 3 ? 1 : 2;', false],
    ['if (b % 2) c = 1;', false],
    ['b = min(b % bins, 3);', false],
    ['b = a && b % 2;', false],
    ['b = a;', false],
  ])('divide and choose nothing: %s %s', (code, divides) => {
    expect(isPlainDivision(code)).toBe(divides);
  });

  it.each([
    ['v_cndmask_b32_e64 v1, 1, 2, vcc', true],
    ['v_cndmask_b16 v1, v2, v3, s0', true],
    ['v_dual_cndmask_b32 v1, v2, v3 :: v_dual_mov_b32 v4, v5', true],
    ['v_dual_mov_b32 v4, v5 :: v_dual_max_f32 v1, v2, v3', true],
    ['s_cselect_b64 s[0:1], -1, 0', true],
    ['s_cmov_b32 s0, s1', true],
    ['s_cmovk_i32 s0, 0x3e', true],
    ['s_max_u32 s0, s1, s2', true],
    ['v_min_u32_e32 v1, 62, v1', true],
    ['v_max_f64 v[0:1], v[2:3], v[4:5]', true],
    ['v_min3_i32 v0, v1, v2, v3', true],
    ['v_med3_f32 v0, v1, v2, v3', true],
    ['v_maxmin_f16 v0, v1, v2, v3', true],
    ['v_pk_min_i16 v0, v1, v2', true],
    ['v_sub_u32_e64 v0, v1, v2 clamp', true],
    ['v_mov_b32_e32 v0, v1', false],
    ['s_mov_b32 s0, s1', false],
    ['v_cmp_lt_u32_e32 vcc, 62, v1', false],
    ['global_atomic_umin v1, v2, s[0:1]', false],
    ['ds_max_u32 v1, v2', false],
    ['v_mad_u32_u24 v0, v1, v2, v3', false],
    ['s_cbranch_execz label_max', false],
  ])('select by %s: %s', (instruction, selects) => {
    expect(isSelection(instruction)).toBe(selects);
  });

  it('that select are named after a pass; the next step is left out where it was taken', () => {
    const words = (count: number, rest: Partial<Parameters<typeof editedLineWords>[0]> = {}) =>
      editedLineWords({
        verdict: 'pass',
        edited_lines: {
          ...{ edited: 9, without_code: 0, not_run: [] },
          selects: Array.from({ length: count }, (_, index) => ({ file: 'k.hip', line: index + 1 })),
        },
        ...rest,
      });
    expect(words(1)).toEqual([
      'k.hip:1 selects a value (by a condition, a minimum, a clamp or the like): which was taken was not seen',
      otherInputs,
    ]);
    expect(words(6)).toEqual([
      'k.hip:1, k.hip:2, k.hip:3, k.hip:4, k.hip:5, and 1 more select a value (by a condition, a minimum, a clamp or the like): which was taken was not seen',
      otherInputs,
    ]);
    const inputs = { asked: 8, seed: 1, judged: 8, dropped: 0, failed: null, reason: null, tried: [] };
    expect(words(1, { inputs })).toEqual([
      'k.hip:1 selects a value (by a condition, a minimum, a clamp or the like): which was taken was not seen',
      otherInputs.slice(otherInputs.indexOf('another run')),
    ]);
    expect([words(1, { verdict: 'fail' }), words(0)]).toEqual([[], []]);
    const lines = { edited: 9, without_code: 0, not_run: [], one_sided: [{ file: 'k.hip', line: 4 }] };
    expect(words(0, { edited_lines: lines })).toEqual([
      'k.hip:4 has a condition that came out the same in every lane: its other side was not seen',
      otherInputs,
    ]);
    expect(words(0, { edited_lines: lines, verdict: 'fail' })).toEqual([]);
    expect(unseenWords(lines)).toBe('NOT seen: the other side of a condition in 1 of 9 edited lines; ');
  });

  it('name other dispatches only where the app launched more than the captured one, by its profile', () => {
    const lines = { edited: 9, without_code: 0, not_run: [], one_sided: [{ file: 'k.hip', line: 4 }] };
    const inputs = { asked: 8, seed: 1, judged: 8, dropped: 0, failed: null, reason: null, tried: [] };
    const next = (launches: number | null, rest: object = {}) =>
      wordsWithProfile({ verdict: 'pass', edited_lines: lines, ...rest }, () => launches).at(-1);
    const once =
      'the app launched it once in its last profiled run: what the captured range does not reach needs another run of the app, with other arguments or input files (`command` in kernloop.json, then `kernloop extract`)';
    expect(next(1)).toBe(`\`--inputs 8\` tries other scalars, and array values of the captured range; ${once}`);
    expect(next(1, { inputs })).toBe(once);
    expect(next(1200)).toBe(
      'other inputs may reach that: `--inputs 8` tries other scalars, and array values of the captured range; `"dispatch": [1, 2]` in kernloop.json captures more dispatches of the 1,200 that the app launched',
    );
    expect(next(null)).toBe(otherInputs);
    const unread = () => {
      throw new Error('the profile was read without need');
    };
    expect(wordsWithProfile({ verdict: 'fail', edited_lines: lines }, unread)).toEqual([]);
  });

  it('do not take the verdict with them if the code object or its record cannot be read', async () => {
    const workspace = new TestWorkspace();
    const session = {
      device: { work: 'wave_instructions' },
      code: { kind: 'variant', path: '/nowhere/build/variant.hsaco' },
      reproducer: { root: '/nowhere', config: { language: 'hip', device: { kind: 'softgpu' } } },
    } as unknown as ReplaySession;
    const deps = fakeDeps({}, workspace.native);
    await expect(
      editedLines([session], { verdict: 'pass', dispatches: [] }, deps).finally(() => workspace.dispose()),
    ).resolves.toBeUndefined();
    expect(deps.said.info).toEqual([
      expect.stringMatching(/^the verdict is of the results; which edited lines ran was not counted: .*variant\.hsaco/),
    ]);
  });
});
