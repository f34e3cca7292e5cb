import { narrowedInputs } from './narrowed-inputs';

describe('inputs on which an edit may no longer depend', () => {
  const guard = '  if (i < n) {';
  const load = '    int b = values[i];';
  const kernel = { name: 'k', scalars: ['n', 'scale', 'p'] };
  const of = (before: string[], after: string[], head = 'void k(int n, float scale, P p) {', rest: string[] = []) =>
    narrowedInputs([head, ...before, '}', ''].join('\n'), [head, ...after, '}', ...rest, ''].join('\n'), kernel);

  it.each([
    ['a number in the place of a parameter', [guard], ['  if (i < 4000) {'], 'n'],
    ['a launch value in its place', [guard], ['  if (i < gridDim.x * blockDim.x) {'], 'n'],
    ['a factor that is left out', ['y[i] = scale * x[i];'], ['y[i] = x[i];'], 'scale'],
    ['a whole line that is left out', ['v *= scale;', load], [load], 'scale'],
    ['a member of a parameter', ['if (i < p.n) {'], ['if (i < 64) {'], 'p.n'],
    ['one of two members', ['i < p.n && i < p.m'], ['i < p.n && i < 64'], 'p.m'],
    ['a number that is assigned to it', [guard], ['  n = 4000;', guard], 'n'],
    ['a parameter where a member of that name stays', ['i < n && q.n'], ['i < 64 && q.n'], 'n'],
  ])('are parameters: %s', (_, before, after, text) => {
    expect(of(before, after)).toEqual([{ line: 2, kind: 'parameter', text, change: 'removed' }]);
  });

  it.each([
    ['a cast', [load], ['    int b = (short)values[i];'], 'short', 'put'],
    ['a declaration', [load], ['    unsigned  char b = values[i];'], 'unsigned char', 'put'],
    ['a mask of an element', [load], ['    int b = values[i] & 63;'], '& 63', 'put'],
    ['a mask behind a parenthesis', [load], ['    int b = (values[i]) & 0xff;'], '& 0xff', 'put'],
    ['a remainder of an element', [load], ['    int b = values[i] % BINS;'], '% BINS', 'put'],
    ['half precision', ['float v = x[i];'], ['float v = __half2float((__half)x[i]);'], '__half', 'put'],
    ['an index of fewer bits', ['size_t at = i * n;'], ['int at = i * n;'], 'size_t', 'removed'],
    ['a sum of fewer bits', ['double sum = 0;'], ['float sum = 0;'], 'double', 'removed'],
    ['an index of 64 bits in two words', ['long long at = i;'], ['int at = i;'], 'long long', 'removed'],
  ])('are types: %s', (_, before, after, text, change) => {
    expect(of(before, after)).toEqual([{ line: 2, kind: 'type', text, change }]);
  });

  it.each([
    ['a comment', [guard], [`${guard} // of n`]],
    ['the same in other words', [guard], ['  if (n > i) {']],
    ['a condition that was moved', [guard, load], [load, guard]],
    ['a parameter that another line reads now', [guard], ['  const int last = n;', '  if (i < last) {']],
    ['a name that contains it', ['int nn = 1;'], ['int mm = 1;']],
    ['a member of that name of something else', ['int m = q.n;'], ['int m = 4;']],
    ['a member behind an arrow', ['int m = q->n;'], ['int m = 4;']],
    ['a mask of an index', ['int lane = threadIdx.x % 64;'], ['int lane = threadIdx.x & 63;']],
    ['a mask that was there', ['int b = values[i] & 63;'], ['int b = 63 & 1, c = values[i] & 63;']],
    ['a conjunction', ['if (x[i]) {'], ['if (x[i] && y[i]) {']],
    ['a product of bits', ['b = x[i];'], ['b = x[i] & y[i];']],
    ['another name of 64 bits', ['long long at = i;'], ['int64_t at = i;']],
    ['a wider type', ['float sum = 0;'], ['double sum = 0;']],
    ['a narrow type that went', ['short b = values[i];'], [load]],
    ['nothing', [guard, load], [guard, load]],
  ])('are not: %s', (_, before, after) => {
    expect(of(before, after)).toEqual([]);
  });

  it('are those of the kernel alone, if its definition is found', () => {
    const edit = [[`${guard} }`], ['  if (i < 4000) { }']] as const;
    const found = [{ line: 2, kind: 'parameter', text: 'n', change: 'removed' }];
    const host = ['int main() { int n = 5; k(n); }'];
    // `n` of the host that the same edit put in is no parameter.
    expect(of([...edit[0]], [...edit[1]], undefined, host)).toEqual(found);
    expect(of([...edit[0]], [...edit[1]], 'void other(int n) {', ['void k(int n) { }'])).toEqual([]);
    expect(of([...edit[0]], [...edit[1]], '__global__ void __launch_bounds__(256) k(int n)\n{')).toMatchObject([
      { line: 3 },
    ]);
    // A macro may make the kernel of another name.
    expect(of([...edit[0]], [...edit[1]], 'KERNEL(k2, int n) {')).toEqual(found);
  });

  it('are found in a source of many calls whose brackets do not match', () => {
    expect(of([`${'k('.repeat(200_000)}n`], [`${'k('.repeat(200_000)}0`])).toMatchObject([{ text: 'n' }]);
  });

  it('have the line of the edited text in which the type is', () => {
    expect(of([load, guard], ['int c = 1;', '    int b = (short)values[i];', 'int d = 1;', guard])).toEqual([
      { line: 3, kind: 'type', text: 'short', change: 'put' },
    ]);
    expect(of([load], [load, 'short c = values[0];'])).toMatchObject([{ line: 3 }]);
  });
});
