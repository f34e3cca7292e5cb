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
  ])('are named: %s', (_, before, after) => {
    expect(of(before, after)).toEqual([{ line: 2, text: before[0]?.trim() }]);
  });

  it.each([
    ['a line without a condition', ['b += 0;', add], [add]],
    ['a comment about one', ['// if (b > 62) b = 62;', add], [add]],
    ['a condition that was moved', [clamp, add, 'c = 1;'], [add, 'c = 1;', clamp]],
    ['a condition that another one replaces', [clamp, add], ['  b = min(b, BINS - 1);', add]],
    ['a condition whose statement was edited', ['if (b > 62)', 'b = 1;'], ['if (b > 62) b = 2;']],
    ['a condition whose statement is left alone in its line', ['if (t == 0) x[i] = 1;'], ['x[i] = 1;']],
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

  it('are found by the line of the edited text', () => {
    expect(of(['a;', 'b;', clamp, 'c;', 'if (x) y;'], ['z;', 'a;', 'b;', 'c;'])).toEqual([
      { line: 5, text: clamp.trim() },
      { line: 6, text: 'if (x) y;' },
    ]);
  });
});
