import { openSourceParser } from '../source/source-parser';
import { constantsNamed } from './cpp-constants';
import { dictionaryValues, pythonText } from './python-values';
import { edited, literalValue } from './text-edits';

describe('constants of a C++ source', () => {
  const source = `
#ifndef TILE
#define TILE 16  // of a block
#endif
namespace a {
constexpr int kThreads = 64 * 2;
static const unsigned kUnroll{4};
int kThreads_other = 3;
struct Shape { static constexpr int kRows = 8; };
enum { kColumns = 32 };
__global__ void one(float* x) { constexpr int kLocal = 4; x[kLocal] = 0; }
__global__ void two(float* x) { const int kLocal = 5; int kThreads = 9; x[kLocal + kThreads] = 0; }
}
`;
  const found = async (name: string) => constantsNamed(name, source, await openSourceParser());

  it.each([
    ['TILE', ['16']],
    ['kThreads', ['64 * 2']],
    ['kRows', ['8']],
    ['kColumns', ['32']],
    ['kLocal', ['4', '5']],
    ['kThreads_other', []],
  ])('%s is found where it gets its value, and no variable is taken for one', async (name, texts) => {
    expect((await found(name)).map(({ text }) => text)).toEqual(texts);
  });

  it('tell the function that they stand in', async () => {
    expect((await found('kLocal')).map(({ functions }) => functions)).toEqual([['one'], ['two']]);
  });

  it('are replaced and nothing else is', async () => {
    const [tile] = await found('TILE');
    const [threads] = await found('kThreads');
    if (!tile || !threads) throw new Error('found above');
    const text = edited(source, [
      { place: tile, text: '8' },
      { place: threads, text: '256' },
    ]);
    expect(text).toBe(source.replace('16  // of', '8  // of').replace('64 * 2', '256'));
  });
});

describe('values of reproducer.py', () => {
  it('are found in its dictionaries, and written as Python writes them', async () => {
    const text = `CONSTEXPRS = {\n    "BLOCK": 256,  # elements\n    'scale': 1.0,\n    "dtype": tl.float16,\n}\nOPTIONS = {"fast": False}\nother(X={"BLOCK": 1})\n`;
    const values = dictionaryValues(text, await openSourceParser('python'));
    const place = (dictionary: string, name: string) => {
      const one = values.get(dictionary)?.get(name);
      if (!one) throw new Error(`${dictionary} has ${name}`);
      return one;
    };
    const [block, scale, dtype, fast] = [
      place('CONSTEXPRS', 'BLOCK'),
      place('CONSTEXPRS', 'scale'),
      place('CONSTEXPRS', 'dtype'),
      place('OPTIONS', 'fast'),
    ];
    const written = edited(text, [
      { place: block, text: pythonText(64, block) },
      { place: scale, text: pythonText(2, scale) },
      { place: dtype, text: pythonText('tl.bfloat16', dtype) },
      { place: fast, text: pythonText(true, fast) },
    ]);
    expect(written).toBe(
      text.replace('256', '64').replace('1.0', '2.0').replace('float16', 'bfloat16').replace('False', 'True'),
    );
    expect(pythonText('__import__("os")', dtype)).toBe('"__import__(\\"os\\")"');
  });

  it.each([
    ['16', 16],
    ['16u', 16],
    ["1'024", 1024],
    ['1.5f', 1.5],
    ['0x10', 16],
    // The last digit of a hexadecimal number is no suffix.
    ['0x1f', 31],
    ['0xFFu', 255],
    ['-0x10', -16],
    ['010', 8],
    ['019', undefined],
    ['0', 0],
    ['0.5', 0.5],
    ['1E3', 1000],
    ['0xfffffffffffffffe', undefined],
    ['18446744073709551615ull', undefined],
    ['True', true],
    ['"ca"', 'ca'],
    ['64 * 2', undefined],
    ['tl.float16', undefined],
  ])('%s means %p', (text, expected) => expect(literalValue(text)).toBe(expected));
});
