/** A section of an ELF64 little-endian file. */
export interface Section {
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

export const sectionTypes = { symtab: 2, note: 7, dynsym: 11 } as const;

const elfMagic = 0x7f454c46;
const elfHeaderBytes = 64;
const sectionHeaderBytes = 64;
const noteHeaderBytes = 12;

export function isElf64(bytes: Buffer, machine: number): boolean {
  if (bytes.length < elfHeaderBytes || bytes.readUInt32BE(0) !== elfMagic || bytes[4] !== 2 || bytes[5] !== 1)
    return false;
  return bytes.readUInt16LE(18) === machine;
}

/** Sections whose content lies inside the file; none where the table does not. */
export function readSections(bytes: Buffer): Section[] {
  const table = Number(bytes.readBigUInt64LE(40));
  const entryBytes = bytes.readUInt16LE(58);
  const count = bytes.readUInt16LE(60);
  if (entryBytes !== sectionHeaderBytes || table + count * sectionHeaderBytes > bytes.length) return [];
  return Array.from({ length: count }, (_, index) => readSection(bytes, table + index * sectionHeaderBytes));
}

function readSection(bytes: Buffer, at: number): Section {
  return {
    type: bytes.readUInt32LE(at + 4),
    address: bytes.readBigUInt64LE(at + 16),
    offset: Number(bytes.readBigUInt64LE(at + 24)),
    size: Number(bytes.readBigUInt64LE(at + 32)),
    link: bytes.readUInt32LE(at + 40),
  };
}

/** The bytes of a section; empty where they are not all in the file. */
export function contentOf(bytes: Buffer, { offset, size }: Section): Buffer {
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
