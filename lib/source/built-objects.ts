import { createReadStream, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { inOrder } from '../support/in-order';
import type { TranslationUnit } from '../toolchain/translation-unit';
import type { ArchiveMember } from './archive-members';
import { archivedObjects } from './archived-objects';

/** Whether a unit, as the build compiled it, contains a kernel; `unknown` where what the build made of it is not there. */
export type BuiltIn = 'holds' | 'lacks' | 'unknown';

/** Larger files are not objects of one unit. */
const maxBytes = 8 * 2 ** 30;

/**
 * What the build made of each unit tells whether the kernel comes out of it, without compiling anything: the host's half names every
 * kernel that it can launch, by its mangled name, to the runtime (`__hipRegisterFunction`, `__cudaRegisterFunction`).
 */
export async function builtIn(units: readonly TranslationUnit[], symbol: string, root: string): Promise<BuiltIn[]> {
  const name = Buffer.from(symbol, 'latin1');
  const answers: BuiltIn[] = [];
  const atATime = Math.min(maxAtATime, availableParallelism());
  for await (const answer of inOrder(units, atATime, ({ output }) => look(output, name))) answers.push(answer);
  // Objects that the build removed may be in its archives.
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

/** Several objects may have one name: then any of them may be the unit's. */
async function lookInto(parts: readonly Omit<ArchiveMember, 'name'>[], name: Buffer): Promise<BuiltIn> {
  const small = parts.filter(({ size }) => size > 0 && size <= maxBytes);
  if (small.length === 0 || name.length === 0) return 'unknown';
  try {
    for (const part of small) if (await contains(part, name)) return 'holds';
    return 'lacks';
  } catch {
    // It may not be read: as if it were not there.
    return 'unknown';
  }
}

/** Whether a file has the name from end to end, and not as a part of a longer one. */
async function contains({ file, offset, size }: Omit<ArchiveMember, 'name'>, name: Buffer): Promise<boolean> {
  // One character more on each side than the name has, for what stands around it.
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

/** Letters, digits, underscore, and `$`, which nvcc puts into names of its own. */
function isPartOfName(character: number): boolean {
  return /[\w$]/.test(String.fromCharCode(character));
}
