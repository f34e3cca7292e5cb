import { columnsOf, type Coverage } from './coverage';
import { hunksOf, newLines } from './new-lines';
import { removedLines } from './removed-lines';
import { removedConditions } from './removed-conditions';

const file = 'k.hip';
const columns = (lines: readonly number[], column = 3) => columnsOf(lines.map((line) => ({ file, line, column })));

/** Lines with code are `ran` and `idle`; `both` and `one` have a condition that came out both ways, or one. */
function coverage(seen: Partial<Record<'ran' | 'idle' | 'both' | 'one' | 'selects' | 'calls', number[]>>): Coverage {
  const { ran = [], idle = [], both = [], one = [], selects = [], calls = [] } = seen;
  return {
    withCode: columns([...ran, ...idle, ...both, ...one, ...selects]),
    ran: columns([...ran, ...both, ...one, ...selects]),
    ...{ selects: columns(selects), oneSided: columns(one), oneSidedSelections: columns([]) },
    ...{ decides: columns([...both, ...one]), doubtedCalls: columns(calls), executed: new Map() },
  };
}

const nothing = { edited: 0, without_code: 0, not_run: [] };

function told(before: string, after: string, seen: Coverage, now = nothing, code = columns([1, 2, 3, 4, 5, 6, 7])) {
  const lines = newLines(before, after) ?? [];
  const found = removedLines([{ file, original: before, before, after, lines }], now, { withCode: code }, seen);
  const conditions = removedConditions(before, after, undefined).map((one) => ({ file, ...one }));
  return {
    unseen: found.unseen.map(({ line, seen: how, text }) => [line, how, text]),
    left: conditions.filter((one) => !found.isSeen(one)).map(({ text }) => text),
  };
}

describe('the lines that changes removed and put', () => {
  it.each([
    ['nothing', 'a\n', 'a\n', []],
    ['a removed line', 'a\nb\nc\n', 'a\nc\n', [{ removed: [2], added: [] }]],
    ['an added line', 'a\nc\n', 'a\nb\nc\n', [{ removed: [], added: [2] }]],
    [
      'two places',
      'a\nb\nc\nd\ne\n',
      'a\nx\ny\nc\ne\n',
      [
        { removed: [2], added: [2, 3] },
        { removed: [4], added: [] },
      ],
    ],
  ])('are those of both texts: %s', (_, before, after, hunks) => {
    expect(hunksOf(before, after)).toEqual(hunks);
  });
});

describe('a line that an edit removed', () => {
  const before = 'a();\nif (n > 4)\n  b();\nfor (;;)\n  c();\nd();\n';

  it('is named if it never ran before, and its condition if that came out one way', () => {
    const seen = coverage({ ran: [1, 4, 6], both: [], one: [2], idle: [3, 5] });
    expect(told(before, before.replace('  b();\n', '  ;\n').replace('for (;;)\n  c();\n', ''), seen).unseen).toEqual([
      [3, 'not run', 'b();'],
      [5, 'not run', 'c();'],
    ]);
    expect(told(before, 'a();\nb();\nd();\n', seen)).toEqual({
      unseen: [
        [2, 'one side', 'if (n > 4)'],
        [5, 'not run', 'c();'],
      ],
      left: ['if (n > 4)'],
    });
  });

  it('is not if it ran as a whole and its condition came out both ways: the verdict is of both', () => {
    const seen = coverage({ ran: [1, 3, 5, 6], both: [2, 4] });
    expect(told(before, 'a();\nd();\n', seen)).toEqual({ unseen: [], left: [] });
  });

  it('is not if it is elsewhere now, or if the line in its place has a doubt of its own', () => {
    const seen = coverage({ ran: [1, 2, 4, 6], idle: [3, 5] });
    expect(told(before, 'a();\nif (n > 4)\n  ;\nfor (;;)\n  c();\nd();\nb();\n', seen).unseen).toEqual([]);
    const after = before.replace('  b();', '  e();');
    expect(told(before, after, seen).unseen).toEqual([[3, 'not run', 'b();']]);
    expect(told(before, after, seen, { ...nothing, not_run: [{ file, line: 3 }] as never[] }).unseen).toEqual([]);
  });

  it('is named where it was moved and its condition came out one way: it may matter at one of the two places', () => {
    const clamp = 'if (v < 0) v = 0;\n';
    const [text, moved] = [`a();\n${clamp}use(v);\nd();\n`, `a();\nuse(v);\n${clamp}d();\n`];
    const one = coverage({ ran: [1, 3, 4], one: [2] });
    expect(told(text, moved, one).unseen).toEqual([[2, 'one side', clamp.trim()]]);
    expect(told(text, moved, coverage({ ran: [1, 3, 4], both: [2] })).unseen).toEqual([]);
    expect(told(text, moved, coverage({ ran: [1, 3, 4], selects: [2] })).unseen).toEqual([]);
    const lost = told(text, moved, coverage({ ran: [1, 3, 4], selects: [2] }), nothing, columns([1, 2, 4]));
    expect(lost.unseen).toEqual([[2, 'not told', clamp.trim()]]);
    // A doubt of the line at its new place says as much.
    expect(told(text, moved, one, { ...nothing, one_sided: [{ file, line: 3 }] } as typeof nothing).unseen).toEqual([]);
  });

  it('is a jump without code that ran, or did not, with the statement before it', () => {
    const text = 'switch (m) {\n  case 1:\n    a();\n    break;\n  case 2:\n    break;\n}\n';
    const third = text.replace('    a();\n    break;\n', '    a();\n');
    expect(told(text, third, coverage({ ran: [1, 3] })).unseen).toEqual([]);
    expect(told(text, third, coverage({ ran: [1], idle: [3] })).unseen).toEqual([[4, 'not run', 'break;']]);
    const second = text.replace('  case 2:\n    break;\n', '  case 2:\n');
    expect(told(text, second, coverage({ ran: [1, 3] })).unseen).toEqual([[6, 'not told', 'break;']]);
    const loop = 'for (;;)\n  if (b)\n    break;\n';
    const endless = 'for (;;)\n  if (b)\n    ;\n';
    expect(told(loop, endless, coverage({ ran: [1], both: [2] })).unseen).toEqual([]);
    expect(told(loop, endless, coverage({ ran: [1], one: [2] })).unseen).toEqual([[3, 'one side', 'break;']]);
  });

  it('is the call of a function whose conditions came out one way, if that is not called there any more', () => {
    const [text, seen] = ['a();\nv = clamp(v, 0, 9);\nd();\n', coverage({ ran: [1, 2, 3], calls: [2] })];
    const call = [[2, 'not told', 'v = clamp(v, 0, 9);']];
    expect(told(text, 'a();\nd();\n', seen).unseen).toEqual(call);
    expect(told(text, 'a();\nv = v + 0;\nd();\n', seen).unseen).toEqual(call);
    expect(told(text, 'a();\nv = clamp(v, 0, 9) + w;\nd();\n', seen).unseen).toEqual([]);
    expect(told(text, 'a();\nd();\n', coverage({ ran: [1, 2, 3] })).unseen).toEqual([]);
  });

  it('leaves the doubt of a loop: that it ended says nothing of how often it ran', () => {
    const loop = 'while (v > 9) v -= 9;\n';
    const seen = coverage({ ran: [1, 3], both: [2] });
    expect(told(`a();\n${loop}d();\n`, 'a();\nif (v > 9) v -= 9;\nd();\n', seen).left).toEqual(['while (v > 9)']);
  });

  it('leaves the doubt of a condition that has no code, selects what was not told, or belongs to another file', () => {
    const after = 'a();\nfor (;;)\n  c();\nd();\n';
    expect(told(before, after, coverage({ ran: [1, 3, 4, 5, 6] })).left).toEqual(['if (n > 4)']);
    expect(told(before, after, coverage({ ran: [1, 2, 3, 4, 5, 6] })).left).toEqual(['if (n > 4)']);
    expect(told(before, after, coverage({ ran: [1, 3, 4, 5, 6], selects: [2] }))).toEqual({
      unseen: [[2, 'not told', 'if (n > 4)']],
      left: ['if (n > 4)'],
    });
    const { isSeen } = removedLines([], nothing, { withCode: columns([]) }, coverage({ both: [2] }));
    const condition = { line: 2, before: 2, text: 'if (n > 4)' };
    expect([isSeen({ ...condition, file }), isSeen({ ...condition, file: 'other.hip' })]).toEqual([true, false]);
  });
});
