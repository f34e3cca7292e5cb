import { newLines } from './new-lines';
import { withChangedConstants } from './changed-constants';

describe('lines that use a constant of the edit', () => {
  const text = (...lines: string[]): string => `${lines.join('\n')}\n`;
  const edited = (before: string, after: string, ...more: { before: string; after: string }[]) =>
    withChangedConstants([{ before, after }, ...more]).map((one) => newLines(one.before, one.after));
  const use = 'if (b >= BINS) b = BINS - 1; // BINS';

  it.each([
    ['#define BINS 64', '#define BINS 128'],
    ['  #  define BINS (64)', '#define BINS (32)'],
    ['constexpr int BINS = 64;', 'constexpr int BINS = 128;'],
    ['static const unsigned BINS = 64u;', 'static const unsigned BINS = 65u;'],
    ['constexpr int BINS{64};', 'constexpr int BINS{65};'],
    ['__constant__ const int BINS[2] = {1, 2};', '__constant__ const int BINS[2] = {1, 3};'],
  ])('differ: %s', (one, other) => {
    expect(edited(text(one, 'x;', use), text(other, 'x;', use))).toEqual([[1, 3]]);
  });

  it.each([
    [
      'two exchanged',
      'enum Mode { COPY, INVERT = 4, DOUBLE = 5 };',
      'enum Mode { COPY, INVERT = 5, DOUBLE = 4 };',
      [2, 3],
    ],
    ['one put before others', 'enum { COPY, INVERT,\n  DOUBLE };', 'enum { NONE, COPY, INVERT,\n  DOUBLE };', [3, 4]],
    [
      'one that counts on',
      'enum class M : int { COPY = N, INVERT };',
      'enum class M : int { COPY = N + 1, INVERT };',
      [2],
    ],
    ['others, which use no line', 'enum { OTHER = 1, DOUBLE = 2 };', 'enum { OTHER = 3, DOUBLE = 0x2 };', []],
  ])('differ by an enumerator: %s', (_, one, other, lines) => {
    const body = ['case INVERT: b();', 'case DOUBLE: c();'];
    const [found = []] = edited(text(one, ...body), text(other, ...body));
    const first = one.split('\n').length;
    expect((found ?? []).filter((line) => line > first)).toEqual(lines);
  });

  it('differ in another file, too, and keep their columns', () => {
    const [, kernel] = withChangedConstants([
      { before: '#define BINS 64\n', after: '#define BINS 65\n' },
      { before: `${use}\n`, after: `${use}\n` },
    ]);
    expect(kernel?.after).toBe(`${use}\n`);
    expect(kernel?.before).toMatch(/^if \(b >= BIN[a-z]\) b = BIN[a-z] - 1; \/\/ BINS\n$/);
  });

  it.each([
    ['one that the edit adds', text('x;', 'y = 1;'), text('#define Y 1', 'x;', 'y = Y;'), [1, 3]],
    ['one that it moves', text('#define Y 1', 'x;', 'y = Y;'), text('x;', '#define Y 1', 'y = Y;'), [2]],
    [
      'a const that is computed',
      text('const int i = blockIdx.x * 64 + threadIdx.x;', 'y[i] = 1;'),
      text('const int i = blockIdx.x * 128 + threadIdx.x;', 'y[i] = 1;'),
      [1],
    ],
    ['a variable', text('int y = 1;', 'z = y;'), text('int y = 2;', 'z = y;'), [1]],
    ['a name that begins so', text('#define Y 1', 'Y2 = 3;'), text('#define Y 2', 'Y2 = 3;'), [1]],
  ])('are those of the edit alone: %s', (_, before, after, lines) => {
    expect(edited(before, after)[0]).toEqual(lines);
  });

  it('are found in time that grows with the text', () => {
    const words = 'const '.repeat(200_000);
    expect(edited(text(words, '#define Y 1', 'y = Y;'), text(words, '#define Y 2', 'y = Y;'))).toEqual([[2, 3]]);
  });

  it('get letters that the text does not have', () => {
    const all = Array.from({ length: 26 }, (_, index) => `T${String.fromCharCode(97 + index)}`);
    const [one] = withChangedConstants([
      {
        before: text('#define TT 1', 'TT;', all.slice(0, 25).join(' ')),
        after: text('#define TT 2', 'TT;', all.slice(0, 25).join(' ')),
      },
    ]);
    expect(one?.before.split('\n')[1]).toBe('Tz;');
    const [none] = withChangedConstants([
      { before: text('#define TT 1', 'TT;', all.join(' ')), after: text('#define TT 2', 'TT;', all.join(' ')) },
    ]);
    expect(none?.before.split('\n')[1]).toBe('T_;');
  });
});
