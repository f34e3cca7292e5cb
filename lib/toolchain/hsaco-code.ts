import { isDeepStrictEqual } from 'node:util';
import { kernelMetadata, machineAmdgpu } from './code-object-kernels';
import { contentOf, isElf64, readSections, readSymbols, type ElfSymbol, type Section } from './elf';

/** Of the kernel descriptor (LLVM's AMDGPU user guide): where the code begins, from the descriptor on. */
const entryOffset = { at: 16, bytes: 8 };
const descriptorBytes = 64;

/** Opcodes of S_GETPC_B64 in SOP1: of GFX9, GFX10 and GFX11. */
const getPc = [0x1c, 0x1f, 0x47];

/**
 * Whether a kernel is the same down to its instructions in two of AMD's code objects, which may have other kernels beside it. Where its
 * code asks for its own address, it may call functions or read data that lie elsewhere in the code object: then it is taken not to be.
 */
export function isSameKernelCode(symbol: string, one: Buffer, other: Buffer): boolean {
  const [ours, theirs] = [kernelCode(one, symbol), kernelCode(other, symbol)];
  if (ours === null || theirs === null || mayLookElsewhere(ours.code)) return false;
  return (
    ours.code.equals(theirs.code) &&
    ours.descriptor.equals(theirs.descriptor) &&
    isDeepStrictEqual(kernelMetadata(one, symbol), kernelMetadata(other, symbol))
  );
}

interface KernelCode {
  code: Buffer;
  /** Without the place of the code. */
  descriptor: Buffer;
}

function kernelCode(bytes: Buffer, symbol: string): KernelCode | null {
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  const symbols = sections
    .filter(({ name }) => name === '.dynsym')
    .flatMap((table) => readSymbols(bytes, table, sections));
  const code = contentAt(bytes, symbols, sections, symbol);
  const stated = contentAt(bytes, symbols, sections, `${symbol}.kd`);
  if (code === null || code.length === 0 || stated?.length !== descriptorBytes) return null;
  const descriptor = Buffer.from(stated);
  descriptor.fill(0, entryOffset.at, entryOffset.at + entryOffset.bytes);
  return { code, descriptor };
}

/** The bytes that a symbol names; null where it is not there, or they are not. */
function contentAt(
  bytes: Buffer,
  symbols: readonly ElfSymbol[],
  sections: readonly Section[],
  name: string,
): Buffer | null {
  const found = symbols.find((symbol) => symbol.name === name);
  const section = found && sections[found.section];
  if (!section) return null;
  const content = contentOf(bytes, section);
  const start = Number(found.value - section.address);
  const end = start + Number(found.size);
  return start < 0 || end > content.length ? null : content.subarray(start, end);
}

/** A literal that looks like the instruction is taken for it: that costs nothing but time. */
function mayLookElsewhere(code: Buffer): boolean {
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = code.readUInt32LE(at);
    // SOP1: ten one-zero bits of the encoding, then destination, opcode, source.
    if (word >>> 23 === 0x17d && getPc.includes((word >>> 8) & 0xff)) return true;
  }
  return false;
}
