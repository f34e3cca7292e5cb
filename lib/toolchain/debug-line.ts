import { isAbsolute, posix } from 'node:path';
import { contentOf, readSections } from './elf';

/**
 * Source files named in the line tables (`.debug_line`, DWARF 2 to 5) of a code object, without duplicates; empty if it
 * was built without line information. Reading stops at a malformed table without an error: the files are only a hint
 * for the user.
 */
export function debugSourceFiles(elf: Buffer): string[] {
  const files = new Set<string>();
  for (const unit of lineUnits(elf)) {
    for (const file of unit.files.slice(unit.firstFile)) files.add(file);
    if (files.size >= maxFiles) break;
  }
  return [...files];
}

/** Table of one unit: header fields and the line program. */
export interface LineUnit {
  /** Its first byte in `.debug_line`. */
  offset: number;
  /** Files by the number that the program uses. */
  files: string[];
  /** Lowest file number: 1 before DWARF 5. */
  firstFile: number;
  minimumInstructionBytes: number;
  maximumOperations: number;
  lineBase: number;
  lineRange: number;
  /** Operand counts of the standard opcodes, starting at opcode 1. */
  operandCounts: number[];
  program: Cursor;
}

/** Contents of sections by name; empty for those that the file lacks, and for what is no ELF file of 64 bits. */
export function debugSections(elf: Buffer): (name: string) => Buffer {
  const isElf = elf.length >= elfHeaderBytes && elf.readUInt32BE(0) === elfMagic && elf[4] === 2 && elf[5] === 1;
  const sections = isElf ? readSections(elf) : [];
  return (name) => {
    const section = sections.find((candidate) => candidate.name === name);
    return section ? contentOf(elf, section) : Buffer.alloc(0);
  };
}

/** Units up to the first malformed one. */
export function* lineUnits(elf: Buffer): Generator<LineUnit> {
  const contentNamed = debugSections(elf);
  const table = contentNamed('.debug_line');
  const strings: Strings = { line: contentNamed('.debug_line_str'), debug: contentNamed('.debug_str') };
  for (let start = 0; start < table.length;) {
    const offset = start;
    const unit = orNothing(() => {
      const bytes = new Cursor(table, start).unsigned(4);
      if (bytes >= escapedLength) throw new Malformed('64-bit DWARF');
      const header = new Cursor(table.subarray(start + 4, start + 4 + bytes));
      start += 4 + bytes;
      const read = readUnit(header, strings);
      return read === null ? null : { offset, ...read };
    });
    if (unit === undefined) return;
    if (unit !== null) yield unit;
  }
}

/** Returns undefined if the bytes are malformed. */
export function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return undefined;
  }
}

const elfMagic = 0x7f454c46;
const elfHeaderBytes = 64;
/** An escape value marks 64-bit DWARF, which no device compiler writes. */
export const escapedLength = 0xfffffff0;
const maxFiles = 4096;
const maxPathBytes = 4096;

interface Strings {
  line: Buffer;
  debug: Buffer;
}

interface Entry {
  path: string;
  directory: number;
}

/** Null for an unknown version. */
function readUnit(cursor: Cursor, strings: Strings): Omit<LineUnit, 'offset'> | null {
  const version = cursor.unsigned(2);
  if (version < 2 || version > 5) return null;
  // Skips the sizes of an address and of a segment selector.
  if (version === 5) cursor.skip(2);
  const headerBytes = cursor.unsigned(4);
  const program = cursor.from(headerBytes);
  const minimumInstructionBytes = cursor.unsigned(1);
  const maximumOperations = version >= 4 ? cursor.unsigned(1) : 1;
  cursor.skip(1); // default_is_stmt
  const lineBase = (cursor.unsigned(1) << 24) >> 24;
  const lineRange = cursor.unsigned(1);
  const opcodeBase = cursor.unsigned(1);
  const operandCounts = Array.from({ length: Math.max(0, opcodeBase - 1) }, () => cursor.unsigned(1));
  const isNumberedFromOne = version < 5;
  return {
    files: isNumberedFromOne ? ['', ...olderFiles(cursor)] : newerFiles(cursor, strings),
    firstFile: isNumberedFromOne ? 1 : 0,
    minimumInstructionBytes,
    maximumOperations,
    lineBase,
    lineRange,
    operandCounts,
    program,
  };
}

function newerFiles(cursor: Cursor, strings: Strings): string[] {
  const directories = entries(cursor, strings).map(({ path }) => path);
  return entries(cursor, strings).map((entry) => located(entry, directories));
}

/** Before version 5: two lists, each ended by an empty name; directory 0 is the compilation's, not named here. */
function olderFiles(cursor: Cursor): string[] {
  const directories = [''];
  for (let path = cursor.text(); path !== ''; path = cursor.text()) directories.push(path);
  const files: string[] = [];
  for (let path = cursor.text(); path !== '' && files.length < maxFiles; path = cursor.text()) {
    files.push(located({ path, directory: cursor.leb() }, directories));
    // Skips modification time and size.
    cursor.leb();
    cursor.leb();
  }
  return files;
}

/** Reads a list of version 5, which starts with the type and form of each field. */
function entries(cursor: Cursor, strings: Strings): Entry[] {
  const formats = Array.from({ length: cursor.unsigned(1) }, () => ({ type: cursor.leb(), form: cursor.leb() }));
  const count = cursor.leb();
  // Entries without fields take no bytes, so their count is unbounded.
  if (formats.length === 0) return [];
  const list: Entry[] = [];
  for (let index = 0; index < count && index < maxFiles; index += 1) {
    const entry: Entry = { path: '', directory: 0 };
    for (const { type, form } of formats) {
      const value = formValue(cursor, form, strings);
      if (type === contentTypes.path) entry.path = String(value);
      if (type === contentTypes.directory) entry.directory = Number(value);
    }
    list.push(entry);
  }
  return list;
}

/** DWARF 5, section 6.2.4.1. */
const contentTypes = { path: 1, directory: 2 } as const;

/** Reads a form of DWARF 5, table 7.5, that section 6.2.4.1 allows. */
function formValue(cursor: Cursor, form: number, strings: Strings): string | number {
  switch (form) {
    case 0x05: // data2
      return cursor.unsigned(2);
    case 0x08: // string
      return cursor.text();
    case 0x09: // block
      cursor.skip(cursor.leb());
      return '';
    case 0x0b: // data1
      return cursor.unsigned(1);
    case 0x0e: // strp
      return new Cursor(strings.debug, cursor.unsigned(4)).text();
    case 0x0f: // udata
      return cursor.leb();
    case 0x1e: // data16
      cursor.skip(16);
      return '';
    case 0x1f: // line_strp
      return new Cursor(strings.line, cursor.unsigned(4)).text();
    default:
      throw new Malformed(`form ${form}`);
  }
}

function located({ path, directory }: Entry, directories: readonly string[]): string {
  // In version 5 directories are relative to the first one, the compilation's.
  const folder = directories[directory] ?? '';
  return posix.normalize([directories[0] ?? '', folder, path].reduce((base, part) => joined(base, part)));
}

function joined(base: string, part: string): string {
  return isAbsolute(part) || base === '' ? part : posix.join(base, part);
}

export class Malformed extends Error {}

/** Throws Malformed instead of reading past its bytes. */
export class Cursor {
  constructor(
    private readonly bytes: Buffer,
    private at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** A new cursor `distance` bytes further on. */
  from(distance: number): Cursor {
    if (distance > this.bytes.length - this.at) throw new Malformed('past the end');
    return new Cursor(this.bytes, this.at + distance);
  }

  unsigned(size: 1 | 2 | 3 | 4): number {
    if (size > this.bytes.length - this.at) throw new Malformed('past the end');
    const value = this.bytes.readUIntLE(this.at, size);
    this.at += size;
    return value;
  }

  /** An address or another number of 64 bits, of which no device uses more than 53. */
  address(): number {
    const [low, high] = [this.unsigned(4), this.unsigned(4)];
    if (high >= 2 ** 21) throw new Malformed('an address beyond what can be');
    return high * 2 ** 32 + low;
  }

  skip(count: number): void {
    if (count > this.bytes.length - this.at) throw new Malformed('past the end');
    this.at += count;
  }

  leb(): number {
    let value = 0;
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.unsigned(1);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Malformed('a number of more than 49 bits');
  }

  signedLeb(): number {
    let value = 0;
    for (let shift = 0; shift < 49; shift += 7) {
      const byte = this.unsigned(1);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return byte & 0x40 ? value - 2 ** (shift + 7) : value;
    }
    throw new Malformed('a number of more than 49 bits');
  }

  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (this.at >= this.bytes.length || end < 0 || end - this.at > maxPathBytes) throw new Malformed('no end of text');
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }
}
