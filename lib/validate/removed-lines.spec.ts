import { columnsOf, type Coverage } from './coverage';
import { hunksOf, newLines } from './new-lines';
import { removedLines } from './removed-lines';
import { removedConditions } from './removed-conditions';

const file = 'k.hip';
const columns = (lines: readonly number[], column = 3) => columnsOf(lines.map((line) => ({ file, line, column })));

/** Lines with code are `ran` and `idle`; `both` and `one` have a condition that came out both ways, or one. */
function coverage(seen: {
  ran?: number[];
  idle?: number[];
  both?: number[];
  one?: number[];
  selects?: number[];
}): Coverage {
  const { ran = [], idle = [], both = [], one = [], selects = [] } = seen;
  return {
    withCode: columns([...ran, ...idle, ...both, ...one, ...selects]),
    ran: columns([...ran, ...both, ...one, ...selects]),
    ...{ selects: columns(selects), oneSided: columns(one), oneSidedSelections: columns([]) },
    ...{ decides: columns([...both, ...one]), executed: new Map() },
  };
}

const nothing = { edited: 0, without_code: 0, not_run: [] };

function told(before: string, after: string, seen: Coverage, now = nothing) {
  const lines = newLines(before, after) ?? [];
  const found = removedLines([{ file, original: before, before, after, lines }], now, seen);
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

  it('leaves the doubt of a condition that has no code, selects what was not told, or belongs to another file', () => {
    const after = 'a();\nfor (;;)\n  c();\nd();\n';
    expect(told(before, after, coverage({ ran: [1, 3, 4, 5, 6] })).left).toEqual(['if (n > 4)']);
    expect(told(before, after, coverage({ ran: [1, 2, 3, 4, 5, 6] })).left).toEqual(['if (n > 4)']);
    expect(told(before, after, coverage({ ran: [1, 3, 4, 5, 6], selects: [2] }))).toEqual({
      unseen: [[2, 'not told', 'if (n > 4)']],
      left: ['if (n > 4)'],
    });
    const { isSeen } = removedLines([], nothing, coverage({ both: [2] }));
    const condition = { line: 2, before: 2, text: 'if (n > 4)' };
    expect([isSeen({ ...condition, file }), isSeen({ ...condition, file: 'other.hip' })]).toEqual([true, false]);
  });
});
