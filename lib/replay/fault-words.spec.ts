import type { ReplaySession } from './session';
import { arraysIn, faultWords, isThroughNull, placeOfWave } from './fault-words';

describe('a fault in the words for people', () => {
  const session = {
    reproducer: { config: { args: [{ index: 0, name: 'out', offset: 0, size: 8 }] } },
    capture: {
      kernel: { symbol: '_Z4fillPi', name: 'void ns::fill<(int)3>(int*, void (*)(int))' },
      regions: [{ id: 'r1', base: '0x1000', size: 64 }],
      kernarg: { slots: [{ offset: 0, size: 8, kind: 'global_buffer', value: '0x1000', region: 'r1' }] },
    },
  } as unknown as ReplaySession;

  const inKernel = (kernel: string): string =>
    `the device faulted: memory access outside of every allocation in kernel ${kernel} at pc 0x5000 (entry +0xa8), instruction \`global_store_dword v[0:1], v2, off\`, workgroup (3, 0, 0), wave 2, lane 0: write of 4 bytes at 0x41b700000009: 39 bytes past the end of the 64-byte allocation at 0x41 ('virtual memory (64 bytes)'): 1,945 bytes behind region r1 (64 B); more`;

  it('says what was accessed and how far from which parameter, without the place in the code', () => {
    expect(faultWords(inKernel('_Z4fillPi'), session)).toBe(
      'the device faulted: write of 4 bytes, 1,945 bytes behind out (64 B); more',
    );
  });

  it('has no distance of 0 bytes', () => {
    expect(faultWords(inKernel('_Z4fillPi').replace('1,945 bytes behind', '0 bytes behind'), session)).toBe(
      'the device faulted: write of 4 bytes, just behind out (64 B); more',
    );
  });

  it('says how many bytes of an access are behind the array in which it begins', () => {
    const text =
      "memory access outside of every allocation in kernel _Z4fillPi at pc 0x5000 (entry +0xa8), instruction `global_load_dwordx2 v[0:1], v2, off`, workgroup (3, 0, 0), wave 2, lane 0: read of 8 bytes at 0x103c: its last 4 bytes lie past the end of the 64-byte allocation at 0x1000 ('virtual memory (64 bytes)'): 60 bytes into region r1 (64 B)";
    expect(faultWords(text, session)).toBe('read of 8 bytes, the last 4 of them behind out (64 B)');
    expect(faultWords(text.replace('region r1', 'region r7'), session)).toContain('4 of them behind region r7 (64 B)');
  });

  it('keeps the name of another kernel, and the kind of a fault that is no access', () => {
    expect(faultWords(inKernel('_Z5otherPi'), session)).toContain(
      'allocation in kernel _Z5otherPi: write of 4 bytes at',
    );
    const trap =
      'trap in kernel _Z4fillPi at pc 0x5000 (entry +0x8), instruction `s_trap 2`, workgroup (0, 0, 0), wave 1';
    expect(faultWords(trap, session)).toBe('trap');
    expect(placeOfWave(trap)).toBe('workgroup (0, 0, 0), wave 1, at `s_trap 2` (entry +0x8)');
  });

  it('tells the wave and the instruction by themselves, if the device does', () => {
    expect(placeOfWave(inKernel('_Z4fillPi'))).toBe(
      'workgroup (3, 0, 0), wave 2, lane 0, at `global_store_dword v[0:1], v2, off` (entry +0xa8)',
    );
    expect(placeOfWave('an illegal address in fill')).toBeNull();
  });

  it('names the kernel and the parameter, and one distance', () => {
    const text =
      "the device faulted: bad in kernel _Z4fillPi at pc 0x5000 (entry +0xa8), lane 0: write of 4 bytes at 0x41b700000009: 39 bytes past the end of the 64-byte allocation at 0x41 ('virtual memory (64 bytes)'): 1,945 bytes behind region r1 (64 B)";
    expect(faultWords(text, session)).toBe(
      'the device faulted: bad in kernel ns::fill<(int)3> at entry +0xa8, lane 0: write of 4 bytes at 0x41b700000009: 1,945 bytes behind out (64 B)',
    );
  });

  it('tells the address of a wild pointer, and no distance to memory that it has nothing to do with', () => {
    const text = `write of 4 bytes at 0x123456789000: 52238238580736 bytes before the 8192-byte allocation at 0x41b700201000 ('x')`;
    expect(faultWords(text, session)).toBe('write of 4 bytes at 0x123456789000');
  });

  it('names a far array only if the line of the source uses it alone', () => {
    const two = {
      reproducer: {
        config: { args: ['in', 'bins'].map((name, index) => ({ index, name, offset: index * 8, size: 8 })) },
      },
      capture: {
        kernel: { symbol: '_Z4histPiS_', name: 'hist(int*, int*)' },
        regions: [
          { id: 'r0', base: '0x1000', size: 64 },
          { id: 'r1', base: '0x9000', size: 256 },
        ],
        kernarg: {
          slots: ['0x1000', '0x9000'].map((value, index) => ({
            ...{ offset: index * 8, size: 8, kind: 'global_buffer', value, region: `r${index}` },
          })),
        },
      },
    } as unknown as ReplaySession;
    const far = (bytes: string): string =>
      `memory access outside of every allocation: read of 4 bytes at 0x41b700000009: ${bytes} bytes behind region r1 (256 B)`;
    const nobody = 'read of 4 bytes, outside of every array (the nearest is bins, 184,128 bytes away)';
    expect(faultWords(far('184,128'), two, 'unsigned b = in[i + 50000];')).toBe(nobody);
    expect(faultWords(far('184,128'), two, 'bins[in[i]] += 1;')).toBe(nobody);
    expect(faultWords(far('184,128'), two)).toBe(nobody);
    const meant = (bytes: string): string => `read of 4 bytes, ${bytes} bytes behind bins (256 B)`;
    expect(faultWords(far('184,128'), two, 'bins[b + 50000] += 1;')).toBe(meant('184,128'));
    expect(faultWords(far('4,096'), two, 'x = in[i] + bins[i];')).toBe(meant('4,096'));
    expect(faultWords(far('4,096'), two)).toBe(meant('4,096'));
    expect(faultWords(far('192'), two, 'unsigned b = in[i + 2000];')).toContain('outside of every array');
    expect(arraysIn('bins[in2] = inside + in;', two)).toEqual(['in', 'bins']);
  });

  it('calls a null pointer by its name', () => {
    const text = 'memory access outside of every allocation: write of 4 bytes at 0x40: 72254236950464 bytes before';
    expect(isThroughNull(text)).toBe(true);
    expect(
      isThroughNull(text.replace('allocation:', 'allocation in kernel k at pc 0x5000 (entry +0x8), lane 0:')),
    ).toBe(true);
    expect(faultWords(`${text} the 16384-byte allocation at 0x41b700208000 ('virtual memory')`, session)).toBe(
      'write of 4 bytes at 0x40, through a null pointer',
    );
    expect(faultWords(text.replace(/\d+ bytes before$/, 'through a null pointer'), session)).toBe(
      'write of 4 bytes at 0x40, through a null pointer',
    );
    expect(isThroughNull(text.replace('0x40', '0x10000'))).toBe(false);
  });

  it('keeps the only distance, another kernel, and memory that no parameter points to', () => {
    for (const text of [
      "in kernel _Z5otherPi: 4 bytes past the end of the 64-byte allocation at 0x41 ('x')",
      '8 bytes into region r7 (4 B)',
    ])
      expect(faultWords(text, session)).toBe(text);
  });
});
