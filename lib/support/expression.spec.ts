import { thrown } from '../testing/failure';
import { parseFormula } from './expression';

const value = (text: string, values: Record<string, number | string | boolean> = {}) =>
  parseFormula(text, '--constraint').evaluate(values);

describe('a formula', () => {
  it.each([
    ['n / BLOCK', { n: 10, BLOCK: 4 }, 2.5],
    ['ceil(n / BLOCK)', { n: 10, BLOCK: 4 }, 3],
    ['cdiv(n, BLOCK) * 2 + 1', { n: 10, BLOCK: 4 }, 7],
    ['n // 4', { n: 10 }, 2],
    ['-7 % 4', {}, 1],
    ['2 ** 3 ** 2', {}, 512],
    ['max(1, min(n, 4)) - next_power_of_2(5)', { n: 9 }, -4],
    ['A * B <= 1024 and B % 2 == 0', { A: 32, B: 32 }, true],
    ['A * B <= 1024 && B % 2 == 0', { A: 32, B: 33 }, false],
    ['!(A == 1) or A > 3', { A: 1 }, false],
    ['A == 0 or 4 % A == 0', { A: 0 }, true],
    ['wide ? 8 : 4', { wide: true }, 8],
    ['kind == "float4"', { kind: 'float4' }, true],
    ['wide == True', { wide: true }, true],
  ])('%s is computed as Python and Kernel Tuner do', (text, values, expected) => {
    expect(value(text, values)).toBe(expected);
  });

  it.each([
    ['32 <= A <= 64', /takes numbers, and false is none.*join comparisons/],
    ['A && 1', /takes conditions/],
    ['A == "4"', /compares 4 with "4"/],
    ['A / 0', /divides by zero/],
    ['BLOK * 2', /nothing is called BLOK.*did you mean BLOCK/],
    ['A.constructor', /MemberExpression cannot stand/],
    ['A = 3', /no operator =|cannot stand|Unexpected|Expected/],
    ['A; process.exit(1)', /cannot stand|more than one|no function/],
    ['constructor("return 1")()', /no function/],
    ['toString()', /no function toString/],
    ['A & 1', /no operator &/],
    ['(A', /Unclosed/],
    // Python evaluates it to -4.
    ['-2 ** 2', /a sign before \*\*/],
    ['', /empty/],
  ])('%s is refused with the reason', (text, why) => {
    const error = thrown(() => value(text, { A: 4, BLOCK: 1 }));
    expect([error.code, error.what]).toEqual(['FORMULA_INVALID', expect.stringMatching(why)]);
  });

  it('is looked at as a whole before it is evaluated', () => {
    expect(thrown(() => parseFormula('true or nosuch(3) == 1', 'the grid')).what).toMatch(
      /the grid.*no function nosuch/,
    );
    expect([...parseFormula('true or A == B', 'x').names]).toEqual(['A', 'B']);
  });
});
