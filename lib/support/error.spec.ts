import { errorCodes } from './error-codes';
import { closest, KernloopError, nearest } from './error';

describe('errors', () => {
  it('carry the exit code of their code, what happened and what to do', () => {
    const error = new KernloopError('DEVICE_FAULT', 'what', 'hint');
    expect(error.exitCode).toBe(4);
    expect(error.toJSON()).toEqual({ code: 'DEVICE_FAULT', message: 'what', hint: 'hint' });
  });

  it('have no code whose exit code means success', () => {
    for (const { exitCode } of Object.values(errorCodes)) expect(exitCode).toBeGreaterThan(0);
  });
});

describe('nearest', () => {
  it.each([
    ['saxpi', ['saxpy', 'matmul'], ['saxpy']],
    ['scale', ['void scale_batch<float>(float**)', 'matmul'], ['void scale_batch<float>(float**)']],
    ['SAXPY', ['saxpy'], ['saxpy']],
    ['repl', ['help', 'rtol', 'my-replay', 'replays'], ['replays', 'my-replay', 'rtol']],
    ['iters', ['atomics', 'limits', 'iterations'], ['iterations']],
    ['to-file', ['to', 'profile'], ['profile']],
    ['zzzzzz', ['saxpy', 'matmul'], []],
    ['', ['saxpy'], []],
    ['a', [], []],
  ])('of %j among %j is %j', (name, candidates, expected) => {
    expect(nearest(name, candidates)).toEqual(expected);
  });

  it('gives the best and those that are as good, if asked for the closest', () => {
    expect(closest('limit', ['limt', 'limit-seconds', 'limit-factor'])).toEqual(['limit-factor', 'limit-seconds']);
    expect(closest('kernal', ['kernel', 'kernels'])).toEqual(['kernel']);
    expect(closest('zzzzzz', ['saxpy'])).toEqual([]);
  });

  it.each([
    ['the one it begins', 're', ['tune', 'replay', 'report'], ['replay', 'report']],
    ['one of which two letters are swapped', 'tnue', ['tune', 'adopt'], ['tune']],
    ['one with two errors in a longer word', 'vaildat', ['validate'], ['validate']],
    ['an abbreviation', 'recmp', ['recompile', 'report'], ['recompile']],
    ['a part', 'instrument', ['pgo-instrument'], ['pgo-instrument']],
    ['one that lacks a letter, not one with another letter', 'mach', ['each', 'match'], ['match']],
    ['none two errors from a short word', 'mach', ['watch', 'pack', 'mcp'], []],
    ['none three errors from a long word', 'captuuurrre', ['capture'], []],
    ['none of hostile length', 'x'.repeat(100_000), ['y'.repeat(100_000)], []],
  ])('means %s', (_, word, candidates, expected) => {
    expect(closest(word, candidates)).toEqual(expected);
  });

  it('stays fast for hostile lengths', () => {
    expect(nearest('x'.repeat(100_000), ['y'.repeat(100_000)])).toHaveLength(0);
  });
});
