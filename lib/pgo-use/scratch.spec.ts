import type { HotInstruction } from '../replay/hot-spot-json';
import { scratchWaveDwords } from './scratch';

const did = (instruction: string, executed: number, bytes = 4): HotInstruction => ({
  ...{ pc: '0x0', offset: null, instruction, file: null, line: null, branch: false },
  figures: { executed, ...(bytes > 0 ? { scratch_bytes_written: bytes } : {}) },
});

describe('scratch wave-dwords', () => {
  it.each([
    ['buffer_store_dword v1, off, s[0:3], 0 offset:4', 10, 10],
    ['buffer_load_dwordx4 v[0:3], off, s[0:3], 0', 10, 40],
    ['scratch_load_b96 v[0:2], off, s32', 10, 30],
    ['buffer_store_byte v1, off, s[0:3], 0', 10, 10],
    ['scratch_store_b8 v0, off, s32', 10, 10],
  ])('of %s', (instruction, executed, dwords) => {
    expect(scratchWaveDwords([did(instruction, executed)])).toBe(dwords);
  });

  it('count waves, not lanes: one active lane costs what 64 do', () => {
    expect(scratchWaveDwords([did('buffer_store_dword v1, off, s[0:3], 0', 7, 7 * 4)])).toBe(
      scratchWaveDwords([did('buffer_store_dword v1, off, s[0:3], 0', 7, 7 * 256)]),
    );
  });

  it('leave out what is no private memory', () => {
    expect(scratchWaveDwords([did('buffer_store_dwordx4 v[0:3], off, s[0:3], 0', 9, 0)])).toBe(0);
  });
});
