import { conditionsOfEdit, type SeenColumns } from './conditions-of-edit';

type Places = Record<number, number[]>;
const seen = (places: Partial<Record<keyof SeenColumns, Places>>): SeenColumns => {
  const of =
    (columns: Places = {}) =>
    (line: number) =>
      columns[line] ? new Set(columns[line]) : undefined;
  return {
    withCode: of(places.withCode ?? places.ran),
    ...{ ran: of(places.ran), oneSided: of(places.oneSided), selects: of(places.selects) },
    oneSidedSelections: of(places.oneSidedSelections),
  };
};

describe('an edit of what a condition holds', () => {
  const edit = (before: string, after: string, lines: number[]) => ({
    ...{ before: `int x;\n${before}\n`, after: `int y;\n${after}\n`, lines: lines.map((line) => line + 1) },
  });
  const clamp = 'if (b >= BINS) b = BINS - 1;';
  const selection = { oneSided: { 2: [5] }, oneSidedSelections: { 2: [5] }, ran: { 2: [5] } };

  it.each([
    ['another value of the clamp', 'if (b >= BINS) b = BINS - 2;', selection, false],
    ['0 in its place', 'if (b >= BINS) b = 0;', selection, false],
    ['braces around it', 'if ( b>=BINS ) { b = BINS - 1; } // same', selection, true],
    [
      'another value of the clamp, which has code that ran',
      'if (b >= BINS) b = b * 3;',
      { ...selection, ran: { 2: [5, 22] } },
      false,
    ],
    [
      'a statement with code that ran, in a branch',
      'if (b >= BINS) x[b] = 3;',
      { oneSided: { 2: [5] }, ran: { 2: [5, 16] } },
      true,
    ],
    ['a statement without code in a branch', 'if (b >= BINS) break;', { oneSided: { 2: [5] }, ran: { 2: [5] } }, false],
    ['the bound', 'if (b >= BINS - 1) b = BINS - 1;', selection, false],
    ['a second condition in the line', 'if (b >= BINS) { b = BINS - 1; } if (b < 0) b = 0;', selection, false],
    ['a statement behind it', 'if (b >= BINS) b = BINS - 1; b += 0;', selection, true],
  ])('in the line of the condition: %s', (_, after, places, isSeen) => {
    const found = conditionsOfEdit(edit(clamp, after, [1]), seen(places));
    expect([[...found.seen], found.oneSided, found.selects]).toEqual([isSeen ? [2] : [], [], []]);
  });

  it.each([
    ['a selection in place of the branch', 'b = 2;', selection, [[3, 2]]],
    ['a selection, though the value was computed', 'b = b * 3;', { ...selection, ran: { 2: [5], 3: [3] } }, [[3, 2]]],
    ['a comment in it', '// b', selection, []],
    ['a branch that ran', 'x[b] = 2;', { oneSided: { 2: [5] }, ran: { 2: [5], 3: [3] } }, []],
    ['a branch that has no code', 'return;', { oneSided: { 2: [5] }, ran: { 2: [5] } }, [[3, 2]]],
    ['a branch that went both ways', 'return;', { ran: { 2: [5] } }, []],
  ])('in a line behind it: %s', (_, after, places, doubts) => {
    const found = conditionsOfEdit(
      edit('if (b > 62) {\n  b = 1;\n}', `if (b > 62) {\n  ${after}\n}`, [2]),
      seen(places),
    );
    expect(found.oneSided.map(({ line, condition_line: condition }) => [line, condition])).toEqual(doubts);
  });

  it('takes a condition that was moved for another one', () => {
    const [before, after] = [`${clamp}\nuse(b);`, `use(b);\n${clamp}`];
    const found = conditionsOfEdit(edit(before, after, [2]), seen({ oneSided: { 3: [5] }, ran: { 3: [5] } }));
    expect([...found.seen]).toEqual([]);
  });

  it('takes a minimum for the condition where that begins, and no other of its line', () => {
    const lines = edit('if (b > 62)\n  b = 61;', 'if (b > 62)\n  b = 62;', [2]);
    const selects = (column: number) => conditionsOfEdit(lines, seen({ selects: { 2: [column] } })).selects;
    expect([selects(5), selects(9)]).toEqual([[{ line: 3, condition_line: 2 }], []]);
  });

  it('says nothing of lines beside the condition, and nothing twice where the condition is new', () => {
    const beside = edit('if (b > 62) b = 61;\nx = 1;', 'if (b > 62) b = 61;\nx = 2;', [2]);
    expect(conditionsOfEdit(beside, seen(selection)).oneSided).toEqual([]);
    const all = edit('x = 1;', 'if (b > 62) {\n  b = 2;\n}\nx = 1;', [1, 2, 3]);
    expect(conditionsOfEdit(all, seen(selection)).oneSided).toEqual([]);
  });
});
