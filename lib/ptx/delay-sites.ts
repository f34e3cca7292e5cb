import { globalOf, isDelayed } from './accesses';
import type { Instruction } from './module';

/** Code for a delay is some 25 instructions: with a thousand of them ptxas takes twenty times as long. */
const mostSites = 256;

/** Accesses that a run may hold, unless they are ordered. */
const plain: ReadonlySet<string> = new Set(['ld', 'ldu', 'ldmatrix', 'st', 'stmatrix']);
const stores: ReadonlySet<string> = new Set(['st', 'stmatrix']);
const ordered: ReadonlySet<string> = new Set(['volatile', 'relaxed', 'acquire', 'release', 'mmio']);
const jumps: ReadonlySet<string> = new Set(['bra', 'brx', 'call', 'ret', 'exit', 'trap']);

/**
 * Instructions that get a delay: all that may, or, if these are many, the first of each run. A run is loads alone or
 * stores alone, of one kind of memory, without a barrier, a branch or another access between them: a delay before its
 * first makes all of them late. Reads of memory that nobody writes during the kernel race with nothing, and get none then.
 * `always`: instructions that are never left to the delay of another.
 */
export function delaySites(
  text: string,
  instructions: readonly Instruction[],
  always: ReadonlySet<Instruction>,
): Instruction[] {
  const all = instructions.filter(isDelayed);
  if (all.length <= mostSites) return all;
  const sites: Instruction[] = [];
  let run: string | null = null;
  let before: Instruction | null = null;
  for (const instruction of instructions) {
    // A label: control may come from elsewhere.
    if (before && text.slice(before.end, instruction.start).includes(':')) run = null;
    before = instruction;
    if (jumps.has(instruction.opcode[0] ?? '')) run = null;
    if (!isDelayed(instruction) || readsConstants(instruction)) continue;
    const kind = always.has(instruction) ? null : kindOf(instruction);
    if (kind === null || kind !== run) sites.push(instruction);
    run = kind;
  }
  return sites;
}

function readsConstants({ opcode: [name = '', ...parts] }: Instruction): boolean {
  return (name === 'ld' && parts.includes('nc')) || name === 'tex' || name === 'tld4';
}

/** Kind of a run that the access may be in; null if it is in none. */
function kindOf(instruction: Instruction): string | null {
  const [name = '', ...parts] = instruction.opcode;
  if (!plain.has(name) || parts.some((part) => ordered.has(part))) return null;
  return `${stores.has(name) ? 'stores' : 'loads'} ${globalOf(instruction) ?? 'of the block'}`;
}
