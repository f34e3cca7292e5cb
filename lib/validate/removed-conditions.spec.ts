import { removedConditions } from './removed-conditions';

describe('conditions that an edit removed', () => {
  const clamp = '  if (b >= BINS) b = BINS - 1;';
  const add = '  atomicAdd(&bins[b], 1);';
  const of = (before: string[], after: string[]) =>
    removedConditions(['{', ...before, '}', ''].join('\n'), ['{', ...after, '}', ''].join('\n'));

  it.each([
    ['the whole line', [clamp, add], [add]],
    ['the line, left as a comment', [clamp, add], [`  // ${clamp}`, add]],
    ['the line, with an edit of the next one', [clamp, add], ['  atomicAdd(&bins[b], 1u);']],
    ['the condition before its statement', ['if (b > 62)', '  b = 1;'], ['  b = 1;']],
    ['a minimum', ['b = min(b, 62);', add], [add]],
    ['a ternary', ['b = b > 62 ? 62 : b;'], ['b += 0;']],
    ['a guard', ['if (i >= n) return;', add], [add]],
    ['a case', ['case 1: v = v * 3.0f; break;', add], [add]],
    ['the default', ['default: v = 0.25f;', add], [add]],
    ['a loop', ['while (b > 63) b -= 7;', add], [add]],
    ['a clamp in whose place is arithmetic', [clamp, add], ['  b &= BINS - 1;', add]],
    ['one of two that are the same', [clamp, add, clamp], [add, clamp]],
    ['one of two with the same condition', [clamp, 'if (b >= BINS) return;'], ['if (b >= BINS) return;']],
  ])('are named: %s', (_, before, after) => {
    expect(of(before, after)).toMatchObject([{ line: 2, text: before[0]?.trim() }]);
  });

  it('are named where another one beside them was written otherwise', () => {
    const [low, high] = ['  if (v < 0) v = 0;', '  if (v > BINS - 1) v = BINS - 1;'];
    for (const before of [
      [low, high],
      [high, low],
    ])
      expect(of(before, ['  if (0 > v) v = 0;']).map(({ text }) => text)).toEqual([high.trim()]);
    expect(of([low, high], ['  if (0 > v) v = 0;', '  v = min(v, BINS - 1);'])).toEqual([]);
  });

  it.each([
    ['a statement in its line', ['if (t == 0) x[i] = 1;'], ['x[i] = 1;'], 'if (t == 0)'],
    ['a block', ['if (i < n) {', add, '}'], ['{', add, '}'], 'if (i < n)'],
    ['a loop that is a condition now', ['while (b > 63) b -= 7;'], ['if (b > 63) b -= 7;'], 'while (b > 63)'],
  ])('are named without what is left: %s', (_, before, after, text) => {
    expect(of(before, after)).toMatchObject([{ line: 2, text }]);
  });

  it('are named as they were written', () => {
    expect(removedConditions('if (b > TOQ) b = 1;\n', 'b += 0;\n', undefined, 'if (b > TOP) b = 1;\n')).toMatchObject([
      { line: 1, text: 'if (b > TOP) b = 1;' },
    ]);
  });

  it.each([
    ['a line without a condition', ['b += 0;', add], [add]],
    ['a comment about one', ['// if (b > 62) b = 62;', add], [add]],
    ['a condition that was moved', [clamp, add, 'c = 1;'], [add, 'c = 1;', clamp]],
    ['a case of another statement', ['case 1: v = 2;', add], ['case 1: v = 3;', add]],
    ['a loop that another one replaces', ['while (b > 63) b -= 7;', add], ['for (; b > 63;) b -= 7;', add]],
    ['a condition that another one replaces', [clamp, add], ['  b = min(b, BINS - 1);', add]],
    ['a condition whose statement was edited', ['if (b > 62)', 'b = 1;'], ['if (b > 62) b = 2;']],
    ['an atomic minimum', ['atomicMin(low, b);', add], [add]],
    ['nothing', [clamp], [clamp]],
    ['names that contain "if"', ['diff = 1;', 'gif(2);', add], [add]],
  ])('are not: %s', (_, before, after) => {
    expect(of(before, after)).toEqual([]);
  });

  it('are those whose statements were all removed, and not those that keep one', () => {
    const before = ['if (b > 62) {', '  b = 1;', '  c = 2;', '}'];
    expect(of(before, ['if (b > 62) {', '}']).map(({ text }) => text)).toEqual(['b = 1;', 'c = 2;']);
    expect(of(before, ['if (b > 62);'])).not.toEqual([]);
    expect(of(before, ['if (b > 62) {', '  c = 2;', '}'])).toEqual([]);
  });

  describe('where it is known which lines have code', () => {
    const ofCode = (put: string, columns: number[]) =>
      removedConditions(`${clamp}\n${add}\n`, `${put}\n${add}\n`, (line) =>
        line === 2 ? new Set([3]) : columns.length > 0 ? new Set(columns) : undefined,
      );

    it.each([
      ['a value that it has', '  if (b >= BINS) b = b;', []],
      ['never', '  if (0) b = BINS - 1;', []],
      ['never, before other code in the line', '  if (i == 3) x = nullptr; b += x[i];', [28]],
      ['a selection of the same', '  b = b >= BINS ? b : b;', []],
      ['always', '  if (true || b >= BINS) b = BINS - 1;', [26]],
    ])('are those that the compiler folds away, too: %s', (_, put, columns) => {
      expect(ofCode(put, columns)).toMatchObject([
        { line: 1, text: expect.stringMatching(/^if \(b >= BINS\)/) as string },
      ]);
    });

    it.each([
      ['a condition', '  if (b > BINS - 1) b = BINS - 1;', [7]],
      ['a minimum', '  b = min(b, BINS - 1);', [7]],
      ['a ternary', '  b = b >= BINS ? BINS - 1 : b;', [9]],
    ])('are not those in whose place code is: %s', (_, put, columns) => {
      expect(ofCode(put, columns)).toEqual([]);
    });

    it('are none that stand in the text as they were, though the compiler made one of two', () => {
      const text = 'if (b < 0) b = 0;\nif (b >= N) b = N - 1;\n';
      const columns = (line: number) => (line === 1 ? new Set([5]) : undefined);
      expect(removedConditions(text, text.replace('\nif', '\nelse if'), columns)).toEqual([]);
    });

    it('are none where the compiler made one of two that are the same, of which neither was removed', () => {
      const text = 'if (t < 64) x[t] = 0;\nif (t < 64) y[t] = x[t];\n';
      const columns = (line: number) => new Set(line === 1 ? [7, 18] : [18]);
      expect(removedConditions(text, text.replace('= 0', '= 0u'), columns)).toEqual([]);
      expect(removedConditions(text, text.replace('= x[t]', '= 1 + x[t]'), columns)).toEqual([]);
    });

    it('are a condition of several lines whose statement is empty of code', () => {
      const after = 'if (b >= BINS) {\n  b = b;\n}\n';
      const before = 'if (b >= BINS) {\n  b = 1;\n}\n';
      expect(removedConditions(before, after, () => undefined)).not.toEqual([]);
      expect(removedConditions(before, after, (line) => (line === 1 ? new Set([5]) : undefined))).toEqual([]);
    });
  });

  it('are found by the line of the edited text', () => {
    expect(of(['a;', 'b;', clamp, 'c;', 'if (x) y;'], ['z;', 'a;', 'b;', 'c;'])).toEqual([
      { line: 5, before: 4, text: clamp.trim() },
      { line: 6, before: 6, text: 'if (x) y;' },
    ]);
  });
});
