import { describeFault } from './fault-text';
import type { FaultEvent } from './replay-events';

describe('a fault in one line', () => {
  const fault = (distance: number): FaultEvent => ({
    event: 'fault',
    kind: 'global_out_of_range',
    text: 'write of 4 bytes at 0x123456789000',
    near: { region: 'r0', position: 'before', distance, size: 64 },
  });

  it('says how far an index went astray, and nothing of memory that has nothing to do with the address', () => {
    expect(describeFault(fault(2 ** 36))).toContain(': 68,719,476,736 bytes before region r0');
    expect(describeFault(fault(2 ** 36 + 1))).toBe('write of 4 bytes at 0x123456789000');
  });
});
