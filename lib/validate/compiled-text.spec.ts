import { compiledText } from './compiled-text';

describe('the text of an edit without what its directives switch off', () => {
  const lines = (...all: string[]): string => `${all.join('\n')}\n`;
  const before = lines('f() {', '  clamp;', '  add;', '}');
  const of = (after: string, withCode: number[]) =>
    compiledText(before, after, (line) => withCode.includes(line)).split('\n');

  it.each(['#if 0', '#ifdef NEVER', '# if defined(NEVER) && X', '#ifndef __HIP__'])(
    'has no branch of %s without code',
    (head) => {
      const after = lines('f() {', head, '  clamp;', '#endif', '  add;', '}');
      expect(of(after, [5])).toEqual(['f() {', head, '', '#endif', '  add;', '}', '']);
      expect(of(after, [3, 5])).toEqual(after.split('\n'));
    },
  );

  it('has that of #else, or that before it, whichever has code', () => {
    const after = lines(
      'f() {',
      '#if X',
      '  clamp;',
      '#elif Y',
      '  less;',
      '#else',
      '  more;',
      '#endif',
      '  add;',
      '}',
    );
    expect(of(after, [5, 9])).toEqual(
      lines('f() {', '#if X', '', '#elif Y', '  less;', '#else', '', '#endif', '  add;', '}').split('\n'),
    );
  });

  it('has branches of directives that were there, and is the same without an edit', () => {
    const there = lines('f() {', '#if 0', '  clamp;', '#endif', '  add;', '}');
    expect(compiledText(there, there, () => false)).toBe(there);
    const edited = there.replace('add', 'sub');
    expect(compiledText(there, edited, () => false)).toBe(edited);
  });

  it('survives directives that do not match', () => {
    const after = lines('#endif', '#else', 'f() {', '#if 0', '  clamp;');
    expect(of(after, [])).toEqual(after.split('\n'));
  });
});
