import { delayPtx } from './delays';

const kernel = (statements: readonly string[]): string =>
  [
    '.version 8.0 .target sm_90a .address_size 64',
    '.visible .entry k(.param .u64 k_0) {',
    '.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 tile[64];',
    'ld.param.u64 %rd1, [k_0];',
    ...statements,
    'ret; }',
  ].join('\n');

const load = 'ld.shared.u32 %r1, [tile];';
const store = 'st.shared.u32 [tile], %r1;';
const many = Array.from({ length: 250 }, () => load);
const sites = (...statements: string[]): string[] =>
  delayPtx(kernel(statements), 'k').sites.map(({ instruction }) => instruction);

describe('the instructions of a kernel that get a delay', () => {
  it('are all of them, if they are no more than ptxas compiles fast', () => {
    expect(sites(...many, ...many.slice(0, 6))).toHaveLength(256);
    expect(sites(...many, ...many.slice(0, 7))).toEqual([load]);
  });

  it('are the first of each run of loads or of stores, if they are more', () => {
    expect(sites(...many, store, store, ...many, store)).toEqual([load, store, load, store]);
  });

  it.each([
    ['a barrier', 'bar.sync 0;', ['bar.sync 0;']],
    ['a fence', 'membar.gl;', ['membar.gl;']],
    ['a label', 'L:', []],
    ['a branch', '@%p1 bra M; M:', []],
    ['an access of global memory', 'ld.global.u32 %r2, [%rd1];', ['ld.global.u32 %r2, [%rd1];']],
    ['an atomic', 'atom.shared.add.u32 %r2, [tile], 1;', ['atom.shared.add.u32 %r2, [tile], 1;']],
    ['a volatile access', 'ld.volatile.shared.u32 %r2, [tile];', ['ld.volatile.shared.u32 %r2, [tile];']],
  ])('begin a run again after %s', (_name, statement, own) => {
    expect(sites(...many, statement, ...many)).toEqual([load, ...own, load]);
  });

  it('have each ordered access, and each store that may be made late, whatever is before it', () => {
    const flag = 'st.volatile.global.u32 [%rd1], %r1;';
    const data = 'st.global.u32 [%rd1+512], %r1;';
    expect(sites(...many, ...many, data, data, flag, flag)).toEqual([load, data, data, flag, flag]);
  });

  it('are not what reads memory that nobody writes, which breaks no run', () => {
    expect(sites(...many, 'ld.global.nc.u32 %r2, [%rd1];', ...many)).toEqual([load]);
  });
});
