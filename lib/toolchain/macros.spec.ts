import { ownMacros, withMacros } from './macros';

const words = ['-DTILE=16', '-O3', '-D', 'UNROLL=2', '-DTILED=1', '--define-macro=FAST', '-DMAX(a,b)=a'];

describe('macros of a configuration', () => {
  it.each([
    [{}, words],
    [{ TILE: 8 }, ['-O3', '-D', 'UNROLL=2', '-DTILED=1', '--define-macro=FAST', '-DMAX(a,b)=a', '-DTILE=8']],
    [{ UNROLL: 4, FAST: true }, ['-DTILE=16', '-O3', '-DTILED=1', '-DMAX(a,b)=a', '-DUNROLL=4', '-DFAST=1']],
  ])('%j stand in place of those of the command', (macros, expected) => {
    expect(withMacros({ arguments: words }, macros).arguments).toEqual(expected);
  });

  it.each([
    [{ TILE: 16, UNROLL: 2, FAST: true }, []],
    [{ TILE: 8, UNROLL: 2, VEC: 4, FAST: false }, ['TILE=8', 'VEC=4', 'FAST=0']],
  ])("%j are the app's own, except for %j", (macros, expected) => {
    expect(ownMacros({ arguments: words }, macros)).toEqual(expected);
  });
});
