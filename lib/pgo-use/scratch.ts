import type { HotInstruction } from '../replay/hot-spot-json';
import { scratchBytesOf } from '../replay/hot-spots';

/**
 * Dwords that go to private memory and back, counted once for each wave that executed the instruction, however few lanes were active: what the
 * hardware moves is a line for all of them, and bytes of lanes would make divergent code look cheap.
 */
export function scratchWaveDwords(instructions: readonly HotInstruction[]): number {
  return instructions
    .filter(({ figures }) => scratchBytesOf(figures) > 0)
    .reduce((sum, { instruction, figures }) => sum + dwordsOf(instruction) * (figures['executed'] ?? 0), 0);
}

/** `buffer_store_dwordx4`, and of newer targets `scratch_load_b96`; bytes and shorts take a dword. */
function dwordsOf(instruction: string): number {
  const mnemonic = instruction.split(/\s/)[0] ?? '';
  const [, count] = /_dwordx(\d)$/.exec(mnemonic) ?? [];
  if (count !== undefined) return Number(count);
  const [, bits] = /_b(\d+)$/.exec(mnemonic) ?? [];
  return bits === undefined ? 1 : Math.max(1, Number(bits) / 32);
}
