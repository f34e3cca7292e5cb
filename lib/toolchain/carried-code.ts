import { closeSync, openSync, readSync } from 'node:fs';

/** Device code inside a program or library. */
export interface CarriedCode {
  readonly language: 'hip' | 'cuda';
  /** Targets of HIP code (`gfx90a:xnack-`); empty if it is compressed, or not for a processor (SPIR-V). */
  readonly targets: readonly string[];
  /** Whether all of it was read. */
  readonly isWhole: boolean;
}

const elfMagic = 0x7f454c46;
const headerBytes = 64;
const sectionHeaderBytes = 64;
/** Limit of what is read of a section. Libraries with larger ones carry code for the same targets in each bundle. */
const mostBytes = 64 << 20;
/** Sections that hipcc and nvcc make for device code. */
const sections = { hip: '.hip_fatbin', cuda: '.nv_fatbin' } as const;

/** Device code of an ELF64 file; null if it has none, or is no such file. Little of a large file is read. */
export function carriedCode(path: string): CarriedCode | null {
  return reading(path, (read, places) => {
    const hip = places.get(sections.hip);
    if (hip) {
      const targets = bundleTargets(read(hip.offset, hip.size));
      return { language: 'hip', targets, isWhole: hip.size <= mostBytes };
    }
    return places.has(sections.cuda) ? { language: 'cuda', targets: [], isWhole: true } : null;
  });
}

/**
 * Symbols of the kernels in an ELF64 file; empty if it has no device code, null if that cannot be read: CUDA's, a
 * compressed bundle, or too much.
 */
export function carriedKernels(path: string): string[] | null {
  return reading(path, (read, places) => {
    if (places.has(sections.cuda)) return null;
    const hip = places.get(sections.hip);
    if (hip === undefined) return [];
    if (hip.size > mostBytes) return null;
    const section = read(hip.offset, hip.size);
    if (section.includes(compressedMagic)) return null;
    // Each kernel has a descriptor, and the string table of its code object the name of that.
    const descriptors = section
      .toString('latin1')
      .split('\0')
      .filter((text) => /^[\w$.]+\.kd$/.test(text));
    return descriptors.length === 0 ? null : [...new Set(descriptors)].map((name) => name.slice(0, -'.kd'.length));
  });
}

function reading<T>(path: string, work: (read: Read, places: Map<string, Place>) => T): T {
  const file = openSync(path, 'r');
  try {
    const read = (offset: number, bytes: number): Buffer => {
      const buffer = Buffer.alloc(Math.min(bytes, mostBytes));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
    };
    return work(read, namedSections(read));
  } finally {
    closeSync(file);
  }
}

type Read = (offset: number, bytes: number) => Buffer;
interface Place {
  offset: number;
  size: number;
}

function namedSections(read: Read): Map<string, Place> {
  const header = read(0, headerBytes);
  if (header.length < headerBytes || header.readUInt32BE(0) !== elfMagic || header[4] !== 2 || header[5] !== 1)
    return new Map();
  const table = read(Number(header.readBigUInt64LE(40)), header.readUInt16LE(60) * sectionHeaderBytes);
  const rows = Array.from({ length: Math.floor(table.length / sectionHeaderBytes) }, (_, index) => {
    const at = index * sectionHeaderBytes;
    const [offset, size] = [table.readBigUInt64LE(at + 24), table.readBigUInt64LE(at + 32)].map(Number);
    return { nameAt: table.readUInt32LE(at), offset: offset ?? 0, size: size ?? 0 };
  });
  const strings = rows[header.readUInt16LE(62)];
  const names = strings ? read(strings.offset, strings.size) : Buffer.alloc(0);
  return new Map(rows.map(({ nameAt, offset, size }) => [textAt(names, nameAt), { offset, size }]));
}

/** Zero-terminated text; empty if it has no end. */
function textAt(names: Buffer, offset: number): string {
  const end = names.indexOf(0, offset);
  return offset >= names.length || end < 0 ? '' : names.toString('latin1', offset, end);
}

const magic = '__CLANG_OFFLOAD_BUNDLE__';
/** Begins a compressed bundle (LLVM, CompressedOffloadBundle). */
const compressedMagic = 'CCOB';
const entryBytes = 24;
const mostEntries = 64;

/**
 * Targets of the bundles in a section (LLVM, ClangOffloadBundler: a count, then an offset, a size and the length of an
 * id for each entry).
 */
function bundleTargets(section: Buffer): string[] {
  const targets = new Set<string>();
  for (let start = section.indexOf(magic); start >= 0; start = section.indexOf(magic, start + magic.length)) {
    const table = start + magic.length;
    if (table + 8 > section.length) break;
    const count = Math.min(mostEntries, Number(section.readBigUInt64LE(table)));
    let at = table + 8;
    for (let entry = 0; entry < count && at + entryBytes <= section.length; entry += 1) {
      const idBytes = Number(section.readBigUInt64LE(at + 16));
      const id = section.toString('latin1', at + entryBytes, at + entryBytes + idBytes);
      if (!id.startsWith('host-')) targets.add(/-(gfx[\w-]+(?::[\w+-]+)*)$/.exec(id)?.[1] ?? '');
      at += entryBytes + idBytes;
    }
  }
  return targets.has('') ? [] : [...targets];
}
