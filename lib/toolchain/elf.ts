/** A section of an ELF64 little-endian file. */
export interface Section {
  /** Empty if the file has no name for it. */
  name: string;
  type: number;
  offset: number;
  size: number;
}

const noBits = 8;
const sectionHeaderBytes = 64;

/** Sections whose content is inside the file; empty if the table is not. */
export function readSections(bytes: Buffer): Section[] {
  const table = Number(bytes.readBigUInt64LE(40));
  const entryBytes = bytes.readUInt16LE(58);
  const count = bytes.readUInt16LE(60);
  if (entryBytes !== sectionHeaderBytes || table + count * sectionHeaderBytes > bytes.length) return [];
  const headers = Array.from({ length: count }, (_, index) => table + index * sectionHeaderBytes);
  const sections = headers.map((at) => readSection(bytes, at));
  const strings = sections[bytes.readUInt16LE(62)];
  const names = strings ? contentOf(bytes, strings) : Buffer.alloc(0);
  return sections.map((section, index) => ({
    ...section,
    name: textAt(names, bytes.readUInt32LE(headers[index] ?? 0)),
  }));
}

function readSection(bytes: Buffer, at: number): Section {
  return {
    name: '',
    type: bytes.readUInt32LE(at + 4),
    offset: Number(bytes.readBigUInt64LE(at + 24)),
    size: Number(bytes.readBigUInt64LE(at + 32)),
  };
}

/** Zero-terminated text; empty if it has no end. */
function textAt(names: Buffer, offset: number): string {
  const end = names.indexOf(0, offset);
  return offset >= names.length || end < 0 ? '' : names.toString('utf8', offset, end);
}

/** Bytes of a section; empty if the file does not contain all of them. */
export function contentOf(bytes: Buffer, { type, offset, size }: Section): Buffer {
  if (type === noBits) return Buffer.alloc(0);
  return offset + size > bytes.length ? Buffer.alloc(0) : bytes.subarray(offset, offset + size);
}
