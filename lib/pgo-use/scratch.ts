import type { HotInstruction } from '../replay/hot-spot-json';
import { scratchBytesOf } from '../replay/hot-spots';

/**
 * Dwords moved to and from private memory, counted once per wave that executed the instruction, for any number of
 * active lanes: the hardware moves a line for all of them, and bytes of lanes would make divergent code look cheap.
 */
export function scratchWaveDwords(instructions: readonly HotInstruction[]): number {
  return instructions
    .filter(({ figures }) => scratchBytesOf(figures) > 0)
    .reduce((sum, { instruction, figures }) => sum + dwordsOf(instruction) * (figures['executed'] ?? 0), 0);
}

/** Size in dwords of `buffer_store_dwordx4`, on newer targets `scratch_load_b96`; bytes and shorts take one dword. */
function dwordsOf(instruction: string): number {
  const mnemonic = instruction.split(/\s/)[0] ?? '';
  const [, count] = /_dwordx(\d)$/.exec(mnemonic) ?? [];
  if (count !== undefined) return Number(count);
  const [, bits] = /_b(\d+)$/.exec(mnemonic) ?? [];
  return bits === undefined ? 1 : Math.max(1, Number(bits) / 32);
}
