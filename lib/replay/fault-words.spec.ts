import type { ReplaySession } from './session';
import { faultWords } from './fault-words';

describe('a fault in the words for people', () => {
  const session = {
    reproducer: { config: { args: [{ index: 0, name: 'out', offset: 0, size: 8 }] } },
    capture: {
      kernel: { symbol: '_Z4fillPi', name: 'void ns::fill<(int)3>(int*, void (*)(int))' },
      regions: [{ id: 'r1', base: '0x1000', size: 64 }],
      kernarg: { slots: [{ offset: 0, size: 8, kind: 'global_buffer', value: '0x1000', region: 'r1' }] },
    },
  } as unknown as ReplaySession;

  it('names the kernel and the parameter, and one distance', () => {
    const text =
      "the device faulted: bad in kernel _Z4fillPi at pc 0x5000 (entry +0xa8), lane 0: write of 4 bytes at 0x9: 39 bytes past the end of the 64-byte allocation at 0x41 ('virtual memory (64 bytes)'): 1,945 bytes behind region r1 (64 B)";
    expect(faultWords(text, session)).toBe(
      'the device faulted: bad in kernel ns::fill<(int)3> at entry +0xa8, lane 0: write of 4 bytes at 0x9: 1,945 bytes behind out (64 B)',
    );
  });

  it('keeps the only distance, another kernel, and memory that no parameter points to', () => {
    for (const text of [
      "in kernel _Z5otherPi: 4 bytes past the end of the 64-byte allocation at 0x41 ('x')",
      '8 bytes into region r7 (4 B)',
    ])
      expect(faultWords(text, session)).toBe(text);
  });
});
