import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A file in an archive of the build (`libx.a`) and the position of its bytes. */
export interface ArchiveMember {
  /** Name in the archive; in a thin archive, a path relative to it. */
  name: string;
  /** Absolute path of the archive or, for a thin archive, of the member's own file. */
  file: string;
  offset: number;
  size: number;
}

const magic = { whole: '!<arch>\n', thin: '!<thin>\n' };
const headerBytes = 60;

/** Limits no archive of a real build reaches; they bound the work on a forged one. */
const maxMembers = 65_536;
const maxNameBytes = 64 * 2 ** 20;

/** Members of a GNU or BSD archive up to the first damaged header, without guessing. Null for another file. */
export function archiveMembers(path: string): ArchiveMember[] | null {
  const file = openSync(path, 'r');
  try {
    const { size: total } = fstatSync(file);
    const start = bytesAt(file, 0, magic.whole.length).toString('latin1');
    if (start !== magic.whole && start !== magic.thin) return null;
    return [...membersOf(file, path, total, start === magic.thin)];
  } finally {
    closeSync(file);
  }
}

function* membersOf(file: number, path: string, total: number, isThin: boolean): Generator<ArchiveMember> {
  let names = '';
  let at = magic.whole.length;
  for (let count = 0; at + headerBytes <= total && count < maxMembers; count += 1) {
    const header = bytesAt(file, at, headerBytes).toString('latin1');
    const [stated, digits] = [header.slice(0, 16).trimEnd(), header.slice(48, 58).trimEnd()];
    if (!header.endsWith('`\n') || !/^\d{1,10}$/.test(digits)) return;
    const size = Number(digits);
    const content = at + headerBytes;
    const isTable = stated === '//';
    const isIndex = stated === '/' || stated === '/SYM64/' || stated.startsWith('__.SYMDEF');
    const isInside = !isThin || isTable || isIndex;
    if (isInside && content + size > total) return;
    if (isTable) names = size > maxNameBytes ? '' : bytesAt(file, content, size).toString('latin1');
    else if (!isIndex) {
      const { name, skipped } = nameOf(file, stated, content, size, names);
      if (name === null) return;
      if (!isThin) yield { name, file: path, offset: content + skipped, size: size - skipped };
      else yield* elsewhere(name, path);
    }
    // Members start at even offsets.
    at = content + (isInside ? size + (size % 2) : 0);
  }
}

function* elsewhere(name: string, archive: string): Generator<ArchiveMember> {
  const file = resolve(dirname(archive), name);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) yield { name, file, offset: 0, size: stats.size };
}

/** GNU writes `x.o/`, or `/12` for an offset in the name table; BSD writes `#1/20` if the name precedes the content. */
function nameOf(
  file: number,
  stated: string,
  content: number,
  size: number,
  names: string,
): { name: string | null; skipped: number } {
  const place = /^\/(\d+)$/.exec(stated)?.[1];
  if (place !== undefined) {
    const end = names.indexOf('\n', Number(place));
    const name = end < 0 ? '' : names.slice(Number(place), end).replace(/\/$/, '');
    return { name: name === '' ? null : name, skipped: 0 };
  }
  const length = Number(/^#1\/(\d+)$/.exec(stated)?.[1] ?? 0);
  if (length === 0) return { name: stated.replace(/\/$/, ''), skipped: 0 };
  if (length > size || length > 4096) return { name: null, skipped: 0 };
  return { name: bytesAt(file, content, length).toString('latin1').replace(/\0+$/, ''), skipped: length };
}

function bytesAt(file: number, offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  return bytes.subarray(0, readSync(file, bytes, 0, size, offset));
}
