import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { kernelMetadata, machineAmdgpu } from './code-object-kernels';
import { contentOf, isElf64, readSections, readSymbols, type ElfSymbol, type Section } from './elf';

/** Field of the kernel descriptor (LLVM's AMDGPU user guide) with the offset from the descriptor to the code. */
const entryOffset = { at: 16, bytes: 8 };
const descriptorBytes = 64;

/** Opcodes of S_GETPC_B64 in SOP1 for GFX9, GFX10 and GFX11. */
const getPc = [0x1c, 0x1f, 0x47];

/**
 * Whether two of AMD's code objects, which may contain other kernels, have the same instructions for a kernel. If its
 * code reads its own address, it may call functions or read data elsewhere in the code object, so the answer is false.
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

/**
 * Digest of what `isSameKernelCode` compares, for code objects that are not there at the same time. Null where it would
 * be false.
 */
export function kernelCodeDigest(symbol: string, bytes: Buffer): string | null {
  const own = kernelCode(bytes, symbol);
  if (own === null || mayLookElsewhere(own.code)) return null;
  return createHash('sha256')
    .update(own.descriptor)
    .update(own.code)
    .update(JSON.stringify(kernelMetadata(bytes, symbol)))
    .digest('hex');
}

interface KernelCode {
  code: Buffer;
  /** Descriptor without the offset of the code. */
  descriptor: Buffer;
}

function kernelCode(bytes: Buffer, symbol: string): KernelCode | null {
  const code = exportedContent(bytes, symbol);
  const stated = kernelDescriptor(bytes, symbol);
  if (code === null || code.length === 0 || stated === null) return null;
  const descriptor = Buffer.from(stated);
  descriptor.fill(0, entryOffset.at, entryOffset.at + entryOffset.bytes);
  return { code, descriptor };
}

/** Addresses of the code of each kernel of one of AMD's code objects. */
export function kernelRanges(bytes: Buffer): { symbol: string; begin: number; end: number }[] {
  if (!isElf64(bytes, machineAmdgpu)) return [];
  const found = exportedSymbols(bytes, readSections(bytes));
  const kernels = new Set(found.map(({ name }) => name).filter((name) => name.endsWith('.kd')));
  return found
    .filter(({ name }) => kernels.has(`${name}.kd`))
    .map(({ name, value, size }) => ({ symbol: name, begin: Number(value), end: Number(value + size) }));
}

/** Kernel descriptor of one of AMD's code objects; null if the kernel or its descriptor is missing. */
function kernelDescriptor(bytes: Buffer, symbol: string): Buffer | null {
  const stated = exportedContent(bytes, `${symbol}.kd`);
  return stated?.length === descriptorBytes ? stated : null;
}

function exportedContent(bytes: Buffer, name: string): Buffer | null {
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  return contentAt(bytes, exportedSymbols(bytes, sections), sections, name);
}

const exportedSymbols = (bytes: Buffer, sections: readonly Section[]): ElfSymbol[] =>
  sections.filter((section) => section.name === '.dynsym').flatMap((table) => readSymbols(bytes, table, sections));

/** Bytes that a symbol names; null if the symbol or its bytes are missing. */
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

/** A literal may look like the instruction; the false match only costs time. */
function mayLookElsewhere(code: Buffer): boolean {
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = code.readUInt32LE(at);
    // SOP1: the encoding's nine bits, then destination, opcode, source.
    if (word >>> 23 === 0x17d && getPc.includes((word >>> 8) & 0xff)) return true;
  }
  return false;
}
