/** A section of an ELF64 little-endian file. */
export interface Section {
  /** Empty if the file has no name for it. */
  name: string;
  type: number;
  address: bigint;
  offset: number;
  size: number;
  link: number;
}

export interface Note {
  type: number;
  name: string;
  content: Buffer;
}

export const sectionTypes = { symtab: 2, note: 7, nobits: 8, dynsym: 11 } as const;

export interface ElfSymbol {
  name: string;
  /** Type in the low four bits, binding above. */
  info: number;
  /** Visibility and flags of the machine's ABI. */
  other: number;
  /** Index of the section that defines it; 0 if there is none. */
  section: number;
  value: bigint;
  size: bigint;
}

const elfMagic = 0x7f454c46;
const elfHeaderBytes = 64;
const sectionHeaderBytes = 64;
const noteHeaderBytes = 12;
const symbolBytes = 24;

export function isElf64(bytes: Buffer, machine: number): boolean {
  if (bytes.length < elfHeaderBytes || bytes.readUInt32BE(0) !== elfMagic || bytes[4] !== 2 || bytes[5] !== 1)
    return false;
  return bytes.readUInt16LE(18) === machine;
}

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
    address: bytes.readBigUInt64LE(at + 16),
    offset: Number(bytes.readBigUInt64LE(at + 24)),
    size: Number(bytes.readBigUInt64LE(at + 32)),
    link: bytes.readUInt32LE(at + 40),
  };
}

/** Zero-terminated text; empty if it has no end. */
function textAt(names: Buffer, offset: number): string {
  const end = names.indexOf(0, offset);
  return offset >= names.length || end < 0 ? '' : names.toString('utf8', offset, end);
}

export function readSymbols(bytes: Buffer, table: Section, sections: readonly Section[]): ElfSymbol[] {
  const strings = sections[table.link];
  if (!strings) return [];
  const names = contentOf(bytes, strings);
  const entries = contentOf(bytes, table);
  return Array.from({ length: Math.floor(entries.length / symbolBytes) }, (_, index) => {
    const at = index * symbolBytes;
    return {
      name: textAt(names, entries.readUInt32LE(at)),
      info: entries.readUInt8(at + 4),
      other: entries.readUInt8(at + 5),
      section: entries.readUInt16LE(at + 6),
      value: entries.readBigUInt64LE(at + 8),
      size: entries.readBigUInt64LE(at + 16),
    };
  });
}

/** Bytes of a section; empty if the file does not contain all of them. */
export function contentOf(bytes: Buffer, { type, offset, size }: Section): Buffer {
  if (type === sectionTypes.nobits) return Buffer.alloc(0);
  return offset + size > bytes.length ? Buffer.alloc(0) : bytes.subarray(offset, offset + size);
}

/** Entries of a note section, each padded to four bytes. */
export function readNotes(content: Buffer): Note[] {
  const notes: Note[] = [];
  for (let at = 0; at + noteHeaderBytes <= content.length;) {
    const nameBytes = content.readUInt32LE(at);
    const contentBytes = content.readUInt32LE(at + 4);
    const nameAt = at + noteHeaderBytes;
    const contentAt = nameAt + padded(nameBytes);
    const end = contentAt + padded(contentBytes);
    if (contentAt + contentBytes > content.length) break;
    const name = content.toString('latin1', nameAt, nameAt + Math.max(0, nameBytes - 1));
    notes.push({
      type: content.readUInt32LE(at + 8),
      name,
      content: content.subarray(contentAt, contentAt + contentBytes),
    });
    at = end;
  }
  return notes;
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}
