import { clangArguments } from './clang-arguments';

const command = (name: string) => ({ compiler: { name }, arguments: ['-O2'] });

describe('arguments that hipcc passes to clang', () => {
  it.each([
    [{ major: 5, minor: 2 }, true],
    [null, true],
    [{ major: 5, minor: 7 }, false],
    [{ major: 5, minor: 10 }, false],
    [{ major: 6, minor: 0 }, false],
  ])('of HIP %j choose C++11: %s', (hip, chooses) => {
    expect(clangArguments(command('hipcc'), hip).includes('-std=c++11')).toBe(chooses);
  });

  it('of clang itself are those of the command', () => {
    expect(clangArguments(command('clang++'), { major: 5, minor: 2 })).toEqual(['-O2']);
  });
});
