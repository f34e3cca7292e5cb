import { thrown } from '../testing/failure';
import { assemble, shapes } from '../probe/ptx/testing/shapes';
import { delayParameters, delayPtx } from './delays';
import { readModule } from './module';

const kernel = (...statements: string[]): string =>
  [
    '.version 8.0 .target sm_90a .address_size 64',
    '.file 1 "kernel_variant.cu"',
    '.visible .entry k(.param .u64 k_0) {',
    '.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .shared .align 16 .b8 tile[64]; .local .align 8 .b8 mine[8];',
    'ld.param.u64 %rd1, [k_0];',
    ...statements,
    'ret; }',
  ].join('\n');

const delayed = [
  'ld.global.u32 %r1, [%rd1];',
  'ld.volatile.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+64];',
  'ld.global.nc.u32 %r1, [%rd1];',
  'ld.acquire.gpu.global.u32 %r1, [%rd1];',
  'ld.u32 %r1, [%rd1];',
  'ld.shared.u32 %r1, [tile+4];',
  'st.global.u32 [%rd1], %r1;',
  'st.shared::cta.u32 [tile], %r1;',
  'st.relaxed.sys.global.u32 [%rd1], %r1;',
  'atom.global.add.u32 %r1, [%rd1], 1;',
  'atom.shared.cas.b32 %r1, [tile], %r2, %r3;',
  'red.global.add.f32 [%rd1], %f1;',
  'cp.async.ca.shared.global [%r1], [%rd1], 16;',
  'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];',
  'bar.sync 0;',
  'barrier.sync.aligned 0;',
  'bar.warp.sync 0xffffffff;',
  'bar.red.popc.u32 %r1, 0, %p1;',
  'membar.gl;',
  'fence.acq_rel.gpu;',
  'mbarrier.init.shared.b64 [tile], 32;',
];
const others = ['ld.local.u32 %r1, [mine];', 'st.local.u32 [mine], %r1;', 'add.u32 %r1, %r1, 1;'];

describe('PTX with delays', () => {
  it.each(['calls', 'shapes', 'bare', 'empty'])('of %s is what ptxas takes, without a word of doubt', (name) => {
    const { said } = assemble(delayPtx(shapes, name, 256).ptx);
    expect(said).toContain(`Compiling entry function '${name}'`);
    expect(said).not.toMatch(/warning|error/i);
  });

  it.each(delayed)('may wait before %s', (statement) => {
    const { ptx, sites } = delayPtx(kernel(`@%p1 ${statement}`), 'k');
    expect(sites.map(({ instruction }) => instruction)).toEqual([statement]);
    // A barrier under a predicate is an error of the kernel by itself.
    expect(assemble(delayPtx(kernel(statement), 'k').ptx).said).not.toMatch(/error/i);
    expect(ptx.indexOf('nanosleep')).toBeLessThan(ptx.indexOf(`@%p1 ${statement}`));
  });

  it.each(others)('never waits before %s, which no other thread sees', (statement) => {
    expect(delayPtx(kernel(statement), 'k').sites).toEqual([]);
  });

  it('has every instruction of the kernel as it was, in its order, and no shared memory of its own', () => {
    const of = (text: string): string[] =>
      (readModule(text).functions.find(({ name }) => name === 'k')?.body?.instructions ?? []).map(({ start, end }) =>
        text.slice(start, end),
      );
    const given = kernel(...delayed, ...others);
    const made = of(delayPtx(given, 'k').ptx);
    const kept = made.filter((text) => !text.includes('%kl_delay_'));
    expect(kept).toEqual(of(given));
    // The inserted code writes its own registers only, and no memory.
    for (const text of made.filter((one) => one.includes('%kl_delay_'))) {
      expect(text).toMatch(
        /^(?:@%kl_delay_p )?(?:nanosleep\.u32 (?:%kl_delay_a|100000|20000)|(?:mov|mad\.lo|mul\.lo|shl|shr|xor|and|add|sub|min|selp|setp(?:\.\w+)+|ld\.param)(?:\.[bu]32)? %kl_delay_\w+, .*);$/,
      );
    }
    expect(delayPtx(given, 'k').ptx.match(/\.shared \.align/g)).toHaveLength(1);
  });

  it('takes the seed and the sites behind the parameters of the kernel', () => {
    const { ptx } = delayPtx(shapes, 'shapes');
    const list = /\.entry shapes\(([^)]*)\)/.exec(ptx)?.[1] ?? '';
    expect([...list.matchAll(/\.param \.(\w+) (\w+)/g)].map(([, type, name]) => [type, name])).toEqual([
      ['u64', 'shapes_0'],
      ['u32', 'shapes_1'],
      ['u32', 'kl_delay_seed'],
      ['u32', 'kl_delay_first'],
      ['u32', 'kl_delay_count'],
      ['u32', 'kl_delay_hold'],
      ['u32', 'kl_delay_half'],
      ['u32', 'kl_delay_side'],
      ['u32', 'kl_delay_late'],
    ]);
    expect(delayParameters({ seed: 7, first: 1, count: 2 })).toEqual([7, 1, 2, 0xffffffff, 0xffffffff, 0, 0xffffffff]);
    expect(delayParameters({ seed: 7, first: 1, count: 0, hold: 3, half: { site: 4, side: 1 } })).toEqual([
      ...[7, 1, 0],
      ...[3, 4, 1, 0xffffffff],
    ]);
    expect(delayParameters({ seed: 7, first: 1, count: 0, half: { site: 4, side: 1, late: true } })).toEqual([
      ...[7, 1, 0, 0xffffffff],
      ...[0xffffffff, 1, 4],
    ]);
  });

  it.each([
    ['ld.global.u32 %r1, [%rd1];', 'load'],
    ['ld.u32 %r1, [%rd1];', 'load'],
    ['ld.global.nc.u32 %r1, [%rd1];', null],
    ['ld.shared.u32 %r1, [tile+4];', null],
    ['st.relaxed.sys.global.u32 [%rd1], %r1;', 'store'],
    ['st.u32 [%rd1], %r1;', 'store'],
    ['st.shared::cta.u32 [tile], %r1;', null],
    ['atom.global.add.u32 %r1, [%rd1], 1;', 'store'],
    ['atom.shared.cas.b32 %r1, [tile], %r2, %r3;', null],
    ['red.global.add.f32 [%rd1], %f1;', 'store'],
    ['cp.async.ca.shared.global [%r1], [%rd1], 16;', 'load'],
    ['ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];', null],
    ['bar.sync 0;', null],
    ['membar.gl;', null],
  ])('knows what other blocks see of %s', (statement, seen) => {
    const { ptx, sites } = delayPtx(kernel(statement), 'k');
    expect(sites.map(({ global }) => global)).toEqual([seen]);
    // Half of the blocks wait only at accesses that others see.
    expect(ptx.match(/nanosleep\.u32 20000/g) ?? []).toHaveLength(seen === null ? 0 : 2);
  });

  it('keeps the sleeps: ptxas has one for each site', () => {
    const { ptx, sites } = delayPtx(
      kernel('ld.global.u32 %r1, [%rd1];', 'bar.sync 0;', 'st.global.u32 [%rd1+4], %r1;'),
      'k',
    );
    expect(sites).toHaveLength(3);
    expect(ptx.match(/nanosleep\.u32 %/g)).toHaveLength(3);
    expect(assemble(ptx).cubin.length).toBeGreaterThan(assemble(kernel('bar.sync 0;')).cubin.length);
  });

  it('knows the line of each site', () => {
    const text = kernel('.loc 1 12 3', 'ld.global.u32 %r1, [%rd1];', '.loc 1 14 3', 'st.global.u32 [%rd1+4], %r1;');
    expect(delayPtx(text, 'k').sites.map(({ places }) => places)).toEqual([
      [{ file: 'kernel_variant.cu', line: 12 }],
      [{ file: 'kernel_variant.cu', line: 14 }],
    ]);
    expect(delayPtx(kernel('bar.sync 0;'), 'k').sites[0]?.places).toEqual([]);
    const inlined = kernel(
      '.file 2 "/usr/include/atomics.hpp"',
      '.loc 2 99 5, function_name $L__info, inlined_at 1 31 9',
      'atom.global.add.u32 %r1, [%rd1], 1;',
    );
    expect(delayPtx(inlined, 'k').sites[0]?.places).toEqual([
      { file: '/usr/include/atomics.hpp', line: 99 },
      { file: 'kernel_variant.cu', line: 31 },
    ]);
  });

  it('counts what functions do that are not inlined', () => {
    expect(delayPtx(shapes, 'calls').left).toBe(2);
    expect(delayPtx(kernel('bar.sync 0;'), 'k').left).toBe(0);
  });

  it.each([
    ['a GPU without nanosleep', kernel('bar.sync 0;').replace('sm_90a', 'sm_60'), 'no nanosleep'],
    ['PTX that is too old', kernel('bar.sync 0;').replace('8.0', '6.1'), '6.3'],
    ['another kernel', kernel('bar.sync 0;').replace('entry k', 'entry l'), 'no kernel k'],
  ])('refuses %s by name', (_what, text, message) => {
    const found = thrown(() => delayPtx(text, 'k'));
    expect(found.code).toBe('PROBE_UNSUPPORTED');
    expect(found.what).toContain(message);
  });

  it.each(['', '@%p1 ', '@!%p1 '])(
    'makes a store before an atomic or behind it, as ptxas takes it: guarded by %j',
    (guard) => {
      const ticket = 'atom.global.inc.u32 %r1, [%rd1+256], 7;';
      const text = kernel(`${guard}st.global.f32 [%rd1+4], %f1;`, '@%p2 add.u32 %r2, %r2, 1;', ticket, 'bar.sync 0;');
      const { ptx, sites } = delayPtx(text, 'k', 256);
      expect(assemble(ptx).said).not.toMatch(/warning|error/i);
      expect(sites.map(({ overtakes }) => overtakes)).toEqual([null, 0, null]);
      // The store is either before or after the access, never both, and nowhere else.
      const made = [...ptx.matchAll(/@(\S+) st\.global\.f32 \[%rd1\+4\], %f1;/g)].map(({ index }) => index);
      expect(made.map((at) => at < ptx.indexOf(ticket))).toEqual([true, false]);
      expect(ptx.split('st.global.f32')).toHaveLength(3);
    },
  );
});
