import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { pathFolders } from '../support/programs';
import type { Environment } from '../support/environment';

/** Default folders of the dynamic linker in Debian, Fedora and Arch. */
const systemFolders = [
  '/lib/x86_64-linux-gnu',
  '/usr/lib/x86_64-linux-gnu',
  '/lib64',
  '/usr/lib64',
  '/lib',
  '/usr/lib',
];

/**
 * Finds the wanted libraries among those in a program's dynamic section, as ld.so(8) does: RPATH, LD_LIBRARY_PATH,
 * RUNPATH, the system. Scripts and static programs have none. Nothing is started, and little of a large file is read.
 */
export function neededLibraries(program: string, wanted: RegExp, env: Environment): string[] {
  const dynamic = readDynamic(program);
  if (dynamic === null) return [];
  const origin = dirname(realpathSync(program));
  const own = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => path.split(':')).map((path) => path.replace(/\$(ORIGIN|\{ORIGIN\})/g, origin));
  const folders = [
    // RPATH is ignored if there is a RUNPATH.
    ...(dynamic.runpath.length > 0 ? [] : own(dynamic.rpath)),
    ...pathFolders(env['LD_LIBRARY_PATH']),
    ...own(dynamic.runpath),
    ...systemFolders,
  ].filter(isAbsolute);
  return dynamic.needed
    .filter((name) => wanted.test(name))
    .flatMap((name) => {
      const found = (name.includes('/') ? [name] : folders.map((folder) => join(folder, name))).find((path) =>
        existsSync(path),
      );
      return found === undefined ? [] : [found];
    });
}

interface Dynamic {
  needed: string[];
  rpath: string[];
  runpath: string[];
}

const headerBytes = 64;
const segmentBytes = 56;
const segmentTypes = { load: 1, dynamic: 2 } as const;
const tags = { needed: 1, strings: 5, stringBytes: 10, rpath: 15, runpath: 29 } as const;
const elfMagic = 0x7f454c46;
/** Limit that no real program reaches. */
const mostBytes = 1 << 20;

/** Reads the dynamic section of an ELF64 little-endian file (System V ABI, "Dynamic Section"); null for other files. */
function readDynamic(path: string): Dynamic | null {
  const file = openSync(path, 'r');
  try {
    const read = (offset: number, bytes: number): Buffer => {
      const buffer = Buffer.alloc(Math.min(bytes, mostBytes));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
    };
    const header = read(0, headerBytes);
    if (header.length < headerBytes || header.readUInt32BE(0) !== elfMagic || header[4] !== 2 || header[5] !== 1)
      return null;
    const table = read(Number(header.readBigUInt64LE(32)), header.readUInt16LE(56) * segmentBytes);
    const segments = Array.from({ length: Math.floor(table.length / segmentBytes) }, (_, index) =>
      segmentAt(table, index * segmentBytes),
    );
    const dynamic = segments.find(({ type }) => type === segmentTypes.dynamic);
    if (!dynamic) return null;
    const entries = entriesOf(read(dynamic.offset, dynamic.size));
    const valueOf = (wanted: number): number => entries.find(({ tag }) => tag === wanted)?.value ?? 0;
    const address = valueOf(tags.strings);
    const loaded = segments.find(
      ({ type, address: base, size }) => type === segmentTypes.load && base <= address && address < base + size,
    );
    if (!loaded) return null;
    const strings = read(loaded.offset + address - loaded.address, valueOf(tags.stringBytes));
    const texts = (wanted: number): string[] =>
      entries.filter(({ tag }) => tag === wanted).map(({ value }) => textAt(strings, value));
    return { needed: texts(tags.needed), rpath: texts(tags.rpath), runpath: texts(tags.runpath) };
  } finally {
    closeSync(file);
  }
}

const segmentAt = (table: Buffer, at: number) => ({
  type: table.readUInt32LE(at),
  offset: Number(table.readBigUInt64LE(at + 8)),
  address: Number(table.readBigUInt64LE(at + 16)),
  size: Number(table.readBigUInt64LE(at + 32)),
});

function entriesOf(bytes: Buffer): { tag: number; value: number }[] {
  const entries: { tag: number; value: number }[] = [];
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const tag = Number(bytes.readBigUInt64LE(at));
    if (tag === 0) break;
    entries.push({ tag, value: Number(bytes.readBigUInt64LE(at + 8)) });
  }
  return entries;
}

/** Zero-terminated text; empty if it has no end. */
function textAt(strings: Buffer, offset: number): string {
  const end = strings.indexOf(0, offset);
  return offset >= strings.length || end < 0 ? '' : strings.toString('utf8', offset, end);
}
