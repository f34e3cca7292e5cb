import { clangArguments } from './clang-arguments';

const command = (name: string) => ({ compiler: { name }, arguments: ['-O2'] });

describe('arguments that hipcc passes to clang', () => {
  it.each([
    [5, true],
    [null, true],
    [6, false],
    [7, false],
  ])('of HIP %s choose C++11: %s', (hip, chooses) => {
    expect(clangArguments(command('hipcc'), hip).includes('-std=c++11')).toBe(chooses);
  });

  it('of clang itself are those of the command', () => {
    expect(clangArguments(command('clang++'), 5)).toEqual(['-O2']);
  });
});
