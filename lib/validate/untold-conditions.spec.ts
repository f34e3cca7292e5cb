import { untoldConditions, type Executed } from './untold-conditions';

type Line = [column: number, work: number, isCounted?: boolean][];

describe('conditions of an edit of which no instruction tells how they came out', () => {
  const of = (after: string, code: Record<number, Line>, lines = [1]): number[] =>
    untoldConditions({ after, lines }, (line) =>
      (code[line] ?? []).map(([column, work, isCounted = false]): Executed => ({ column, work, isCounted })),
    );
  const clamp = 'if (b > 63 && n < 0) b = 63;\nuse(b);\n';
  const guard = 'if (i < n || n < 5) {\n  out[i] = 1;\n}\n';

  it.each<[string, string, Record<number, Line>]>([
    ['the masks of two, the comparisons of which are elsewhere', clamp, { 1: [[12, 64]], 2: [[1, 64]] }],
    ['a guard whose statement every lane executed', guard, { 1: [[11, 128]], 2: [[10, 128]] }],
    ['a ternary', 'b = b > 63 && n < 0 ? 63 : b;\n', { 1: [[12, 64]] }],
  ])('are named: %s', (_, text, code) => {
    expect(of(text, code)).toEqual([1]);
  });

  it.each<[string, string, Record<number, Line>]>([
    [
      'a comparison in the line',
      clamp,
      {
        1: [
          [7, 64, true],
          [12, 64],
        ],
      },
    ],
    [
      'a minimum in the line',
      clamp,
      {
        1: [
          [20, 64, true],
          [12, 64],
        ],
      },
    ],
    ['no code of the condition', clamp, { 1: [[25, 64]] }],
    ['a statement that fewer lanes executed', guard, { 1: [[11, 128]], 2: [[10, 100]] }],
    ['a statement that no lane executed, which is told as such', guard, { 1: [[11, 128]], 2: [[10, 0]] }],
    [
      'both branches',
      'if (s) a[i] = 1; else b[i] = 1;\n',
      {
        1: [
          [5, 128],
          [13, 128],
          [27, 128],
        ],
      },
    ],
    [
      'a ternary of which a part ran in fewer lanes',
      'x = c ? f(1) : g(2);\n',
      {
        1: [
          [7, 128],
          [9, 40],
        ],
      },
    ],
    ['a question mark in a comment', 'b = 1; // really?\n', { 1: [[3, 64]] }],
  ])('are not: %s', (_, text, code) => {
    expect(of(text, code)).toEqual([]);
  });

  it('are not those of lines that were not edited', () => {
    expect(of(clamp, { 1: [[12, 64]] }, [2])).toEqual([]);
  });

  it('are the cases of a switch that have no code, in a block of which another line ran', () => {
    const host = 'int main() {\n  switch (argc) { case 1: return 1; }\n}\n';
    const kernel = 'void k() {\n  switch (b) {\n    default: b = 9;\n  }\n  use(b);\n}\n';
    const code: Record<number, Line> = { 8: [[3, 64]] };
    expect(of(`${host}${kernel}`, code, [2, 5, 6, 7])).toEqual([5, 6]);
    expect(of(`${host}${kernel}`, { ...code, 5: [[11, 64, true]] }, [2, 5])).toEqual([]);
  });
});
