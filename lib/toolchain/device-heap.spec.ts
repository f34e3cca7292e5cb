import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deviceHeapCode } from './device-heap';

const data = join(__dirname, '..', '..', 'native', 'codeobject', 'test', 'data');

describe('the code of the device heap', () => {
  it('is what llvm-readelf says of its functions, and of the one that asks the host for memory', () => {
    const isOfHeap = deviceHeapCode(readFileSync(join(data, 'allocates.hsaco')));
    // __ockl_dm_dealloc is at 0x27b0 with 872 bytes; __ockl_dm_alloc at 0x365c with 13556 bytes.
    // __ockl_hostcall_internal lies between them, at 0x2b18 with 1604 bytes.
    const inside = [0x27b0, 0x27b0 + 868, 0x2b18, 0x2b18 + 1600, 0x365c, 0x365c + 13552];
    const outside = [0, 0x27ac, 0x2b18 + 1604, 0x3658, 0x365c + 13556, 0x9130];
    expect([inside.every(isOfHeap), outside.some(isOfHeap)]).toEqual([true, false]);
  });

  it('is none of a code object without it, nor of another file', () => {
    const none = [readFileSync(join(data, 'baseline.hsaco')), Buffer.from('no ELF')].map(deviceHeapCode);
    expect(none.some((isOfHeap) => isOfHeap(0x27b0) || isOfHeap(0x365c))).toBe(false);
  });
});
