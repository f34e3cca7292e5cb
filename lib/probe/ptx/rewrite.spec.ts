import { thrown } from '../../testing/failure';
import { readModule } from '../../ptx/module';
import { rewritePtx } from './rewrite';
import { assemble, probing, shapes, shipped } from './testing/shapes';

const probes = ['block_sched', 'dmat', 'gmem_bytes', 'tensorop', 'program_progress'];
const kernels = ['calls', 'shapes', 'bare', 'empty'];

/** A kernel with these statements as its body. */
const kernel = (...statements: string[]): string =>
  [
    '.version 8.0 .target sm_90a .address_size 64',
    '.visible .entry k(.param .u64 k_0) {',
    '.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;',
    'ld.param.u64 %rd1, [k_0];',
    ...statements,
    'ret; }',
  ].join('\n');

/** Statements of the rewritten kernel, without blank lines and comments. */
const made = (ptx: string, ...bodies: Parameters<typeof probing>): string =>
  rewritePtx(ptx, 'k', probing(...bodies))
    .ptx.replaceAll(/\/\/.*/g, '')
    .replaceAll(/\s+/g, ' ');

const load = 'ld.global.u32 %r1, [%rd1];';
const save = (item: string): string => `SAVE [ M ] { ${item} }`;

describe('PTX with probes', () => {
  it.each(kernels.flatMap((name) => probes.map((probe) => [name, probe] as const)))(
    'of %s with %s is what ptxas takes, without a word of doubt',
    (name, probe) => {
      const { said } = assemble(rewritePtx(shapes, name, shipped(probe)).ptx);
      expect(said).toContain(`Compiling entry function '${name}'`);
      expect(said).not.toMatch(/warning|error/i);
    },
  );

  it('has every instruction of the kernel as it was, in its order', () => {
    for (const name of kernels) {
      const of = (text: string): string[] => {
        const found = readModule(text).functions.find((one) => one.name === name);
        return (found?.body?.instructions ?? []).map(({ start, end }) => text.slice(start, end));
      };
      const rewritten = of(rewritePtx(shapes, name, shipped('dmat')).ptx);
      let at = 0;
      for (const text of of(shapes)) {
        // Calls of probed functions pass an extra parameter.
        const isCall = text.startsWith('call');
        at = rewritten.findIndex((one, index) => index >= at && (isCall ? one.startsWith('call') : one === text)) + 1;
        expect([text, at > 0]).toEqual([text, true]);
      }
    }
  });

  it('has parameters behind its own: pointers first, and the room of dynamic maps', () => {
    const { ptx, parameters } = rewritePtx(shapes, 'shapes', shipped('dmat'));
    expect(parameters).toEqual([
      { kind: 'records', map: 'DMAT' },
      { kind: 'counts', map: 'DMAT', counterBytes: 4 },
      { kind: 'capacity', map: 'DMAT' },
    ]);
    const list = /\.entry shapes\(([^)]*)\)/.exec(ptx)?.[1] ?? '';
    expect([...list.matchAll(/\.param \.(\w+) (\w+)/g)].map(([, type, name]) => [type, name])).toEqual([
      ['u64', 'shapes_0'],
      ['u32', 'shapes_1'],
      ['u64', 'kl_records_0'],
      ['u64', 'kl_counts_0'],
      ['u32', 'kl_capacity_0'],
    ]);
    expect(rewritePtx(shapes, 'bare', shipped('block_sched')).ptx).toContain('.entry bare(');
    expect(rewritePtx(shapes, 'shapes', shipped('block_sched')).parameters.map(({ kind }) => kind)).toEqual([
      'records',
      'counts',
      'exits',
    ]);
  });

  it('matches opcodes by whole parts, not letters anywhere on a line', () => {
    const sites = (text: string, pos: string): number =>
      rewritePtx(text, 'k', probing({ pos, before: save('1') })).sites[0]?.instructions ?? 0;
    // The label, the variable and the function contain the letters: Neutrino's engine would probe all three lines.
    const text = kernel(
      'bra_ld_global: mov.u64 %rd2, 5;',
      'ld.global.nc.v2.f32 {%f1, %f2}, [%rd1];',
      'cvta.to.global.u64 %rd3, %rd1;',
    );
    expect(
      ['ld.global', 'ld', 'ld.global.nc', 'ld.glob', 'bra', 'ld.global.u32', 'cvta.to'].map((pos) => sites(text, pos)),
    ).toEqual([1, 2, 1, 0, 0, 0, 1]);
    expect(
      sites(
        kernel('ld.acquire.gpu.global.u32 %r1, [%rd1];', 'st.volatile.global.u32 [%rd1], %r1;'),
        'ld.global:st.global',
      ),
    ).toBe(2);
    expect(sites(kernel('cp.async.commit_group;', 'cp.async.wait_all;'), 'cp.async')).toBe(0);
  });

  it('gives ADDR with the immediate offset, 32-bit addresses as 64 bits, and the size of vectors', () => {
    expect(
      made(kernel('ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+64];'), {
        pos: 'ld.global',
        before: 'mov.u64 %NR0, ADDR;\nadd.u64 %NR1, %NR1, BYTES;',
      }),
    ).toMatch(/mov\.u64 (%kl_t\d+), %rd1; add\.s64 \1, \1, 64; \{ mov\.u64 %NR0, \1; add\.u64 %NR1, %NR1, 16;/);
    expect(made(kernel('ld.shared.b32 %r2, [%r1+-4];'), { pos: 'ld.shared', before: 'mov.u64 %NR0, ADDR;' })).toMatch(
      /cvt\.u64\.u32 (%kl_t\d+), %r1; add\.s64 \1, \1, -4;/,
    );
    expect(
      made(kernel('cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;'), {
        pos: 'cp.async.ca',
        before: 'add.u64 %NR1, ADDR, BYTES;',
      }),
    ).toMatch(/cvt\.u64\.u32 (%kl_t\d+), %r2; \{ add\.u64 %NR1, %rd1, \1;/);
  });

  it('keeps what an instruction overwrites for the probe behind it', () => {
    const text = made(
      kernel('@%p1 ld.global.u64 %rd1, [%rd1];', '@%p2 setp.eq.u32 %p2, %r1, 3;'),
      { pos: 'ld.global', after: save('ADDR') },
      { pos: 'setp', after: save('IN1') },
    );
    expect(text).toMatch(/mov\.u64 (%kl_t\d+), %rd1; @%p1 ld\.global\.u64 %rd1, \[%rd1\]; .*, \1; /);
    expect(text).toMatch(/mov\.pred (%kl_t\d+), %p2; @%p2 setp.*, \1;/);
  });

  it('guards a body with the predicate of its instruction, and joins the predicates of its own', () => {
    const text = made(
      kernel(`@!%p1 ${load}`),
      { pos: 'ld.global', before: 'add.u64 %NR0, %NR0, 1;\n@%kept mov.u64 %NR1, 2;\nst.global.u64 [%rd1], %NR0;' },
      { pos: 'kernel', before: '.reg .pred %kept;' },
    );
    expect(text).toContain('@!%p1 add.u64 %NR0, %NR0, 1;');
    expect(text).toContain('@!%p1 st.global.u64 [%rd1], %NR0;');
    expect(text).toMatch(/mov\.pred (\S+), %kept; not\.pred (\S+), %p1; and\.pred \2, \2, \1; @\2 mov\.u64 %NR1, 2;/);
  });

  it('lets one lane of those that execute together save for the warp, and every lane count', () => {
    const text = made(kernel(`@%p1 ${load}`), {
      level: 'warp',
      pos: 'ld.global',
      before: 'add.u64 %NR0, %NR0, 1;\nSAVE [W] {%NR0}',
    });
    expect(text).toMatch(/activemask\.b32 (\S+); vote\.sync\.ballot\.b32 \1, %p1, \1;/);
    expect(text).toContain('@%p1 add.u64 %NR0, %NR0, 1;');
    expect(text).toMatch(/setp\.eq\.and\.u32 (\S+), \S+, 0, %p1; .*@\1 atom\.global\.add\.u64/);
    // Without SAVE no leader lane is elected.
    expect(made(kernel(load), { level: 'warp', pos: 'ld.global', before: 'add.u64 %NR0, %NR0, 1;' })).not.toContain(
      'activemask',
    );
  });

  it('writes no record for which there is no room, and counts it', () => {
    const text = made(kernel(load), { pos: 'ld.global', before: save('ADDR') });
    const [, inside] =
      /setp\.lt\.u32 (\S+), %kl_count_0, \S+; mad\.wide\.u32 (\S+), %kl_count_0, 8, %kl_base_0; @\1 st\.global\.u64 \[\2\+0\]/.exec(
        text,
      ) ?? [];
    expect(inside).toBeDefined();
    // The count stays at 2^32 - 1: after a wrap to 0 the next record would overwrite the first.
    expect(text).toMatch(/add\.u32 (\S+), %kl_count_0, 1; max\.u32 %kl_count_0, %kl_count_0, \1;/);
    expect(text).toMatch(/st\.global\.u32 \[%kl_counter_0\], %kl_count_0; ret;/);
  });

  it('computes places in 64 bits', () => {
    const { ptx } = rewritePtx(shapes, 'shapes', shipped('dmat'));
    // Blocks times threads, and units times their bytes: the products that overflow 32 bits.
    expect(ptx).toMatch(/mad\.wide\.u32 .*\n.*\n.*mad\.lo\.u64 .*\n.*mad\.lo\.u64/);
    expect(ptx).not.toMatch(/mul\.wide\.s32 .*kl_|mad\.lo\.s32 .*kl_/);
  });

  it('writes all of 8 bytes first, as Neutrino does, in pairs only where every record is aligned', () => {
    const { ptx } = rewritePtx(shapes, 'shapes', shipped('block_sched'));
    expect(ptx).toMatch(
      /st\.global\.u64 \[\S+\+0\], \S+;\n@\S+ st\.global\.v2\.u32 \[\S+\+8\]|st\.global\.u64 \[\S+\+0\]/,
    );
    const dmat = rewritePtx(shapes, 'shapes', shipped('dmat')).ptx;
    expect(dmat).toMatch(/st\.global\.v2\.u64 \[\S+\+0\]/);
  });

  it('runs what comes at the end of the kernel before every way out of it, in functions too', () => {
    const ends = (name: string): number =>
      (rewritePtx(shapes, name, probing({ pos: 'kernel', after: save('7') })).ptx.match(/\/\/ SAVE \[M\]/g) ?? [])
        .length;
    // Three ends: exit, a predicated ret and the closing brace. `calls` has two: ret, and the exit of gives_up.
    expect([ends('shapes'), ends('calls'), ends('bare')]).toEqual([3, 2, 1]);
    const text = made(kernel('@%p1 exit;'), { pos: 'kernel', after: 'add.u64 %NR0, %NR0, 1;' });
    expect(text).toMatch(/@%p1 add\.u64 %NR0, %NR0, 1; .*@%p1 exit;/);
  });

  it('hands what probes keep to functions that they reach into, and to no others', () => {
    const { ptx, sites } = rewritePtx(shapes, 'calls', shipped('dmat'));
    expect(sites[0]).toEqual({ probe: 'dmat', instructions: 3 });
    for (const changed of [
      /lookup \([^)]*kl_frame_param/,
      /deep \(\.param \.b64 at,\s*\.param \.b64 kl_frame_param\s*\);/,
      /call\.uni \( retval0 \), deep, \( param0 , kl_t\d+_param\)/,
    ])
      expect(ptx).toMatch(changed);
    expect(ptx).toContain('call untouched;');
    expect(ptx).toContain('call gives_up, (param0);');
    // A kernel that calls no probed function has no frame.
    expect(rewritePtx(shapes, 'shapes', shipped('dmat')).ptx).not.toContain('.local');
  });

  it('has no other kernels, which would be compiled for nothing', () => {
    const { ptx } = rewritePtx(shapes, 'calls', shipped('dmat'));
    expect(
      readModule(ptx)
        .functions.filter(({ isEntry }) => isEntry)
        .map(({ name }) => name),
    ).toEqual(['calls']);
  });

  it('keeps to the registers that a large block has, unless the kernel says how large its blocks are', () => {
    const with1024 = (name: string): string => rewritePtx(shapes, name, shipped('dmat'), 1024).ptx;
    expect(with1024('bare')).toMatch(/\.entry bare\([^)]*\)\s*\.maxntid 1024, 1, 1\s*\{/);
    expect(assemble(with1024('bare')).said).not.toMatch(/warning/i);
    expect(with1024('shapes').match(/\.maxntid/g)).toHaveLength(1);
    expect(rewritePtx(shapes, 'bare', shipped('dmat')).ptx).not.toContain('.maxntid');
  });

  it('tells of accesses that no position means', () => {
    const { unseen } = rewritePtx(kernel('ld.u32 %r1, [%rd1];', 'st.f32 [%rd1], %f1;'), 'k', shipped('gmem_bytes'));
    expect(unseen).toEqual([
      '2 loads and stores whose space the PTX does not tell (generic pointers) are at no position',
    ]);
  });

  const tma =
    'cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];';
  const pointer =
    '.version 8.0 .target sm_90a .address_size 64 .func f() { .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.global.u32 %r1, [%rd1]; ret; }' +
    '.entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, f; p: .callprototype _ (); call %rd1, p; ret; }';
  it.each([
    [
      'a copy by a tensor map, of which bytes are wanted',
      kernel(tma),
      { pos: 'cp.async.bulk', before: save('BYTES') },
      'its size is in the tensor map',
    ],
    [
      'a copy by a tensor map, of which the address is wanted',
      kernel(tma),
      { pos: 'cp.async.bulk', before: save('ADDR') },
      'tensor map',
    ],
    [
      'a probe behind a jump',
      kernel('bra L;', 'L:'),
      { pos: 'bra', after: save('1') },
      'nothing is executed behind bra',
    ],
    ['operands of the kernel', kernel(load), { pos: 'kernel', before: save('ADDR') }, '"kernel" is none'],
    ['a body that leaves', kernel(load), { pos: 'ld.global', before: 'ret;' }, 'leaves the kernel'],
    ['a body that waits', kernel(load), { pos: 'ld.global', before: 'bar.sync 0;' }, 'waits for threads'],
    ['a position that is no opcode', kernel(load), { pos: 'ld.global %r1', before: save('1') }, 'is no opcode'],
    ['a map that is not there', kernel(load), { pos: 'ld.global', before: 'SAVE [X] {1}' }, 'no [map.X]'],
    ['too many items', kernel(load), { pos: 'ld.global', before: 'SAVE [M] {1, 2}' }, '2 items'],
    [
      'a function called through a pointer',
      pointer,
      { pos: 'ld.global', before: save('1') },
      'whose address the program takes',
    ],
    ['an operand that is not there', kernel(load), { pos: 'ld.global', before: save('IN7') }, 'no such operand'],
    ['SAVE of a predicate', kernel('setp.eq.u32 %p1, %r1, 3;'), { pos: 'setp', after: save('OUT') }, 'cannot keep %p1'],
    ['registers %NR of its own', kernel('.reg .b64 %NR1;'), { pos: 'ld', before: save('1') }, '%NR0'],
    ['addresses of 32 bits', kernel(load).replace('64', '32'), { pos: 'ld', before: save('1') }, '32 bits'],
    ['PTX that is too old', kernel(load).replace('8.0', '6.1'), { pos: 'ld', before: save('1') }, '6.2'],
  ])('refuses %s by name', (_what, text, body, message) => {
    const found = thrown(() => rewritePtx(text, 'k', probing(body)));
    expect(found.code).toBe('PROBE_UNSUPPORTED');
    expect(found.what).toContain(message);
  });

  it('of a module with any bytes others is made, or refused by name, and nothing else', () => {
    const file = shipped('dmat');
    let state = 7;
    for (let round = 0; round < 300; ++round) {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      const [at, length] = [state % shapes.length, state % 9];
      const piece = shapes.slice((at * 31) % shapes.length, ((at * 31) % shapes.length) + (state % 23));
      try {
        rewritePtx(shapes.slice(0, at) + piece + shapes.slice(at + length), round % 2 ? 'shapes' : 'calls', file);
      } catch (error) {
        expect(['PTX_INVALID', 'PROBE_UNSUPPORTED']).toContain((error as { code?: string }).code);
      }
    }
  });
});
