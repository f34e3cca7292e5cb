/** Where an AMD code object (ELF64, little-endian) keeps one kernel. */
export interface CodeObjectKernel {
  /** Mangled, without the `.kd` of its descriptor. */
  symbol: string;
  /** Explicit and hidden arguments together, from the kernel descriptor. */
  kernargBytes: number;
}

const elfMagic = 0x7f454c46;
const machineAmdgpu = 224;
const sectionTypeSymtab = 2;
const sectionTypeDynsym = 11;
const symbolBytes = 24;
const sectionHeaderBytes = 64;
const descriptorBytes = 64;
/** `kernel_descriptor_t`, LLVM's AMDGPU user guide. */
const descriptorKernargSize = 8;

interface Section {
  type: number;
  address: bigint;
  offset: number;
  size: number;
  link: number;
}

/** The kernels of a code object, from its symbol table; null where the bytes are no AMD code object. */
export function codeObjectKernels(bytes: Buffer): CodeObjectKernel[] | null {
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== elfMagic || bytes[4] !== 2 || bytes[5] !== 1) return null;
  if (bytes.readUInt16LE(18) !== machineAmdgpu) return null;
  const sections = readSections(bytes);
  const kernels = new Map<string, CodeObjectKernel>();
  for (const section of sections) {
    if (section.type !== sectionTypeSymtab && section.type !== sectionTypeDynsym) continue;
    for (const kernel of readKernels(bytes, section, sections)) kernels.set(kernel.symbol, kernel);
  }
  return [...kernels.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
}

function readSections(bytes: Buffer): Section[] {
  const table = Number(bytes.readBigUInt64LE(40));
  const entryBytes = bytes.readUInt16LE(58);
  const count = bytes.readUInt16LE(60);
  if (entryBytes !== sectionHeaderBytes || table + count * sectionHeaderBytes > bytes.length) return [];
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * sectionHeaderBytes;
    return {
      type: bytes.readUInt32LE(at + 4),
      address: bytes.readBigUInt64LE(at + 16),
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
      link: bytes.readUInt32LE(at + 40),
    };
  });
}

function readKernels(bytes: Buffer, table: Section, sections: readonly Section[]): CodeObjectKernel[] {
  const strings = sections[table.link];
  if (!strings || table.offset + table.size > bytes.length || strings.offset + strings.size > bytes.length) return [];
  const names = bytes.subarray(strings.offset, strings.offset + strings.size);
  const kernels: CodeObjectKernel[] = [];
  for (let at = table.offset; at + symbolBytes <= table.offset + table.size; at += symbolBytes) {
    const name = nameAt(names, bytes.readUInt32LE(at));
    const section = sections[bytes.readUInt16LE(at + 6)];
    if (!section || !name.endsWith('.kd')) continue;
    const descriptor = Number(bytes.readBigUInt64LE(at + 8) - section.address) + section.offset;
    if (descriptor < section.offset || descriptor + descriptorBytes > bytes.length) continue;
    kernels.push({ symbol: name.slice(0, -3), kernargBytes: bytes.readUInt32LE(descriptor + descriptorKernargSize) });
  }
  return kernels;
}

function nameAt(names: Buffer, offset: number): string {
  const end = names.indexOf(0, offset);
  return offset >= names.length || end < 0 ? '' : names.toString('utf8', offset, end);
}
