import { createReadStream, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { inOrder } from '../support/in-order';
import type { TranslationUnit } from '../toolchain/translation-unit';

/** Whether a unit, as the build compiled it, contains a kernel; `unknown` where what the build made of it is not there. */
export type BuiltIn = 'holds' | 'lacks' | 'unknown';

/** Larger files are not objects of one unit. */
const maxBytes = 8 * 2 ** 30;

/**
 * What the build made of each unit tells whether the kernel comes out of it, without compiling anything: the host's half names every
 * kernel that it can launch, by its mangled name, to the runtime (`__hipRegisterFunction`, `__cudaRegisterFunction`).
 */
export async function builtIn(units: readonly TranslationUnit[], symbol: string): Promise<BuiltIn[]> {
  const name = Buffer.from(symbol, 'latin1');
  const answers: BuiltIn[] = [];
  for await (const answer of inOrder(units, availableParallelism(), ({ output }) => look(output, name)))
    answers.push(answer);
  return answers;
}

async function look(path: string | null, name: Buffer): Promise<BuiltIn> {
  const size = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || !size?.isFile() || size.size > maxBytes || name.length === 0) return 'unknown';
  try {
    return (await contains(path, name)) ? 'holds' : 'lacks';
  } catch {
    // It may not be read: as if it were not there.
    return 'unknown';
  }
}

/** Whether a file has the name from end to end, and not as a part of a longer one. */
async function contains(path: string, name: Buffer): Promise<boolean> {
  // One character more on each side than the name has, for what stands around it.
  const kept = name.length + 1;
  let window: Buffer = Buffer.from([0]);
  for await (const part of createReadStream(path, { highWaterMark: 4 * 2 ** 20 }) as AsyncIterable<Buffer>) {
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
