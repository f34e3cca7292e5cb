import { createReadStream, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { inOrder } from '../support/in-order';
import type { TranslationUnit } from '../toolchain/translation-unit';
import type { ArchiveMember } from './archive-members';
import { archivedObjects } from './archived-objects';

/** Whether the build's compilation of a unit contains a kernel; `unknown` if its output is gone. */
export type BuiltIn = 'holds' | 'lacks' | 'unknown';

/** An object of one unit is never this large. */
const maxBytes = 8 * 2 ** 30;

/**
 * Tells from the build's own output, without compiling, which units contain the kernel: the host code registers every
 * kernel it can launch by its mangled name (`__hipRegisterFunction`, `__cudaRegisterFunction`).
 */
export async function builtIn(units: readonly TranslationUnit[], symbol: string, root: string): Promise<BuiltIn[]> {
  const name = Buffer.from(symbol, 'latin1');
  const answers: BuiltIn[] = [];
  const atATime = Math.min(maxAtATime, availableParallelism());
  for await (const answer of inOrder(units, atATime, ({ output }) => look(output, name))) answers.push(answer);
  // Objects that the build removed may survive in its archives.
  const gone = units.filter(({ output }, index) => answers[index] === 'unknown' && output !== null);
  if (gone.length === 0) return answers;
  const archived = archivedObjects(gone, root);
  const inArchive = ({ output }: TranslationUnit): Promise<BuiltIn> =>
    lookInto(archived.get(basename(output ?? '')) ?? [], name);
  let index = 0;
  for await (const answer of inOrder(gone, atATime, inArchive)) {
    const unit = gone[index++];
    if (unit !== undefined) answers[units.indexOf(unit)] = answer;
  }
  return answers;
}

const maxAtATime = 16;

async function look(path: string | null, name: Buffer): Promise<BuiltIn> {
  const stats = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || !stats?.isFile()) return 'unknown';
  return lookInto([{ file: path, offset: 0, size: stats.size }], name);
}

/** If several objects have the same name, any of them may be the unit's. */
async function lookInto(parts: readonly Omit<ArchiveMember, 'name'>[], name: Buffer): Promise<BuiltIn> {
  const small = parts.filter(({ size }) => size > 0 && size <= maxBytes);
  if (small.length === 0 || name.length === 0) return 'unknown';
  try {
    for (const part of small) if (await contains(part, name)) return 'holds';
    return 'lacks';
  } catch {
    // An unreadable file counts as absent.
    return 'unknown';
  }
}

/** Whether a file contains the name as a whole word, not as part of a longer name. */
async function contains({ file, offset, size }: Omit<ArchiveMember, 'name'>, name: Buffer): Promise<boolean> {
  // Overlap of windows: the name and one character on each side.
  const kept = name.length + 1;
  let window: Buffer = Buffer.from([0]);
  const range = { start: offset, end: offset + size - 1, highWaterMark: 4 * 2 ** 20 };
  for await (const part of createReadStream(file, range) as AsyncIterable<Buffer>) {
    window = Buffer.concat([window, part]);
    if (stands(name, window)) return true;
    window = window.subarray(Math.max(0, window.length - kept));
  }
  return stands(name, Buffer.concat([window, Buffer.from([0])]));
}

function stands(name: Buffer, window: Buffer): boolean {
  for (let at = window.indexOf(name, 1); at >= 0; at = window.indexOf(name, at + 1)) {
    const before = window[at - 1];
    const after = window[at + name.length];
    if (before !== undefined && after !== undefined && !isPartOfName(before) && !isPartOfName(after)) return true;
  }
  return false;
}

/** Letters, digits, underscore, and `$`, which nvcc uses in generated names. */
function isPartOfName(character: number): boolean {
  return /[\w$]/.test(String.fromCharCode(character));
}
