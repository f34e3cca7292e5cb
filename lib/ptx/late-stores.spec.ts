import { overtakenStores } from './late-stores';
import { readModule } from './module';

const kernel = (...statements: readonly string[]): string =>
  [
    '.version 8.0 .target sm_90a .address_size 64',
    '.visible .global .align 4 .u32 ticket;',
    '.visible .entry k(.param .u64 k_0) {',
    '.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .shared .align 16 .b8 tile[64];',
    'ld.param.u64 %rd1, [k_0]; ld.param.u64 %rd2, [k_0];',
    ...statements,
    'ret; }',
  ].join('\n');

const store = 'st.global.f32 [%rd1+4], %f1;';
const ticket = 'atom.global.inc.u32 %r1, [%rd2+256], 7;';

function pairs(...statements: readonly string[]): { stores: string[]; by: string }[] {
  const text = kernel(...statements);
  const instructions = readModule(text).functions[0]?.body?.instructions ?? [];
  const shown = ({ start, end }: { start: number; end: number }): string => text.slice(start, end);
  return overtakenStores(text, instructions).map(({ stores, by }) => ({ stores: stores.map(shown), by: shown(by) }));
}

describe('a store that may be made late', () => {
  it.each([
    ticket,
    'red.global.add.u32 [%rd2+256], 1;',
    'atom.relaxed.gpu.global.add.u32 %r1, [%rd2+256], 1;',
    'atom.acquire.gpu.global.add.u32 %r1, [%rd2+256], 1;',
    'st.volatile.global.u32 [%rd2+256], %r1;',
    'st.relaxed.gpu.global.u32 [%rd2+256], %r1;',
    'atom.global.add.u32 %r1, [ticket], 1;',
    '@%p1 red.add.u32 [%rd2], 1;',
  ])('is one before %s', (by) => {
    expect(pairs(store, by)).toEqual([{ stores: [store], by }]);
  });

  it.each([
    ['a fence is between', ['membar.gl;', ticket]],
    ['a newer fence is between', ['fence.acq_rel.gpu;', ticket]],
    ['a barrier is between', ['bar.sync 0;', ticket]],
    ['the access releases', ['atom.release.gpu.global.add.u32 %r1, [%rd2+256], 1;']],
    ['the access releases and acquires', ['atom.acq_rel.gpu.global.add.u32 %r1, [%rd2+256], 1;']],
    ['the flag is released', ['st.release.gpu.global.u32 [%rd2+256], %r1;']],
    ['the flag is an ordinary store', ['st.global.u32 [%rd2+256], %r1;']],
    ['the atomic is in shared memory', ['atom.shared.add.u32 %r1, [tile], 1;']],
    ['something is loaded between, perhaps what was stored', ['ld.global.f32 %f2, [%rd2];', ticket]],
    ['control may come from elsewhere between', ['$L__BB0_1:', ticket]],
    ['control may leave between', ['@%p1 bra $L__BB0_2;', ticket, '$L__BB0_2:']],
    ['its value is written between', ['add.f32 %f1, %f1, %f1;', ticket]],
    ['its address is written between', ['add.s64 %rd1, %rd1, 8;', ticket]],
    ['the access writes its value', ['atom.global.add.f32 %f1, [%rd2+256], %f2;']],
    ['the access is in a scope of its own', ['{', ticket, '}']],
  ])('is none if %s', (_why, statements) => {
    expect(pairs(store, ...statements)).toEqual([]);
  });

  it('may be volatile or relaxed itself, and is then none that overtakes others too', () => {
    const [first, flag] = ['st.volatile.global.u32 [%rd1], %r2;', 'st.relaxed.gpu.global.u32 [%rd2+256], %r3;'];
    expect(pairs(first, flag, ticket)).toEqual([{ stores: [first], by: flag }]);
    expect(pairs('st.release.gpu.global.u32 [%rd1], %r2;', ticket)).toEqual([]);
  });

  it('is none under a predicate that is written before the access', () => {
    const guarded = `@%p2 ${store}`;
    expect(pairs(guarded, 'setp.eq.u32 %p1|%p2, %r1, 0;', ticket)).toEqual([]);
    expect(pairs(guarded, 'setp.eq.u32 %p1|%p3, %r1, 0;', ticket)).toEqual([{ stores: [guarded], by: ticket }]);
  });

  it('is one of several in a row, and none before one that cannot be moved: it may be of the same address', () => {
    const [first, second, third] = [0, 1, 2].map((index) => `st.global.u32 [%rd1+${4 * index}], %r${index + 2};`);
    if (!first || !second || !third) throw new Error('three stores');
    expect(pairs(first, second, third, ticket)).toEqual([{ stores: [first, second, third], by: ticket }]);
    expect(pairs(first, second, 'mov.u32 %r3, 9;', third, ticket)).toEqual([{ stores: [third], by: ticket }]);
  });
});
