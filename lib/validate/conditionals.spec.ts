import { conditionalsIn } from './conditionals';
import { removedConditions } from './removed-conditions';

describe('the conditions of a source', () => {
  it.each([
    ['braces', 'if (b < 64u) {\n  b = 1;\n}\n', 'b<64', ['b=1;'], [[5, 1, 1]]],
    [
      'no braces, a comment and a string',
      'if (f(")", /* ) */ a)) g("a;b"); h();',
      'f(")",a)',
      ['g("a;b");'],
      [[5, 1, 1]],
    ],
    ['else', 'if (a)\n  b = 1;\nelse {\n  c = 2;\n}\n', 'a', ['b=1;', 'c=2;'], [[5, 1, 1]]],
    ['several lines', 'if (\n  a &&\n  b)\n  return;', 'a&&b', ['return;'], [[3, 2, 3]]],
    [
      'a loop in it',
      'if (a)\n for (int i = 0; i < 3; ++i)\n  b += i;\nc = 1;',
      'a',
      ['for(inti=0;i<3;++i)b+=i;'],
      [[5, 1, 1]],
    ],
    ['a digit separator', "if (a < 1'000) b = 2;\nc = 'x';", "a<1'000", ['b=2;'], [[5, 1, 1]]],
  ])('are read with %s', (_, text, condition, bodies, [place]) => {
    const [first, ...others] = conditionalsIn(text);
    expect(others).toEqual([]);
    expect([first?.condition, first?.bodies.map((body) => body.text)]).toEqual([condition, bodies]);
    expect([first?.column, first?.line, first?.lastLine]).toEqual(place);
  });

  it('may be in another one, in a chain of else, unclosed, or none', () => {
    const chain = conditionalsIn('if (a) {\n if (b) x = 1;\n} else if (c) x = 2; else x = 3;\n');
    expect(chain.map(({ condition, bodies }) => [condition, bodies.map(({ text }) => text)])).toEqual([
      ['a', ['if(b)x=1;', 'if(c)x=2;elsex=3;']],
      ['b', ['x=1;']],
      ['c', ['x=2;', 'x=3;']],
    ]);
    expect(conditionalsIn('// if (a)\n#if (B)\nif (a')).toEqual([]);
    expect(conditionalsIn('if (a) {')).toHaveLength(1);
  });

  it.each([
    ['with constexpr', 'if constexpr (N > 4u) x(); elsewhere();', [['N>4', 'x();']]],
    ['without a semicolon before the end of a block', '{ if (a) return }', [['a', 'return']]],
    [
      'around a while, whose statement has no else',
      'if (a) while (b) c(); else d();',
      [
        ['a', 'while(b)c();', 'd();'],
        ['b', 'c();'],
      ],
    ],
  ])('are read %s', (_what, text, expected) => {
    expect(
      conditionalsIn(text).map(({ condition, bodies }) => [condition, ...bodies.map((body) => body.text)]),
    ).toEqual(expected);
  });

  const many = 20_000;
  it.each([
    ['parentheses that do not close', 'if(('.repeat(many)],
    ['statements beside each other', 'if (a) b = 1;\n'.repeat(many)],
  ])('are found in time that grows with the source: %s', (_what, source) => {
    expect(removedConditions(source, source)).toEqual([]);
  });

  it.each([
    ['statements', 'if(a)'],
    ['blocks', 'if(a){'],
    ['branches of else', 'if(a) b; else '],
    ['statements without an end', 'if (a) b '],
  ])('are refused, without an overflow of the stack, if too many %s are inside each other', (_what, part) => {
    expect(() => conditionalsIn(part.repeat(many))).toThrow('nested more than 256 deep');
  });
});
