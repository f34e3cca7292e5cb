import { closeSync, openSync, readSync } from 'node:fs';

/** Device code inside a program or library. */
export interface CarriedCode {
  readonly language: 'hip' | 'cuda';
  /** Targets of HIP code (`gfx90a:xnack-`); empty if it is compressed. */
  readonly targets: readonly string[];
}

const elfMagic = 0x7f454c46;
const headerBytes = 64;
const sectionHeaderBytes = 64;
/** Limit that no real section table or bundle header reaches. */
const mostBytes = 1 << 20;
/** Sections that hipcc and nvcc make for device code. */
const sections = { hip: '.hip_fatbin', cuda: '.nv_fatbin' } as const;

/** Device code of an ELF64 file; null if it has none, or is no such file. Little of a large file is read. */
export function carriedCode(path: string): CarriedCode | null {
  const file = openSync(path, 'r');
  try {
    const read = (offset: number, bytes: number): Buffer => {
      const buffer = Buffer.alloc(Math.min(bytes, mostBytes));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
    };
    const places = namedSections(read);
    const hip = places.get(sections.hip);
    if (hip) return { language: 'hip', targets: bundleTargets(read(hip.offset, hip.size)) };
    return places.has(sections.cuda) ? { language: 'cuda', targets: [] } : null;
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

const bundleMagic = '__CLANG_OFFLOAD_BUNDLE__';
const entryBytes = 24;

/**
 * Targets of the first bundle (LLVM, ClangOffloadBundler: a count, then an offset, a size and the length of an id for
 * each entry); empty if it is compressed.
 */
function bundleTargets(bytes: Buffer): string[] {
  if (bytes.toString('latin1', 0, bundleMagic.length) !== bundleMagic) return [];
  const targets: string[] = [];
  let at = bundleMagic.length + 8;
  if (bytes.length < at) return [];
  for (let left = bytes.readBigUInt64LE(bundleMagic.length); left > 0n && at + entryBytes <= bytes.length; left -= 1n) {
    const idBytes = Number(bytes.readBigUInt64LE(at + 16));
    const id = bytes.toString('latin1', at + entryBytes, at + entryBytes + idBytes);
    const target = /-(gfx[\w-]+(?::[\w+-]+)*)$/.exec(id)?.[1];
    if (target !== undefined) targets.push(target);
    at += entryBytes + idBytes;
  }
  return targets;
}
