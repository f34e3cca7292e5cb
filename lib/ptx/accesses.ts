import type { Instruction } from './module';

/** An access visible to other blocks; `store` includes atomics. Null for shared memory, constants and barriers. */
export type GlobalAccess = 'store' | 'load' | null;

const accesses: ReadonlySet<string> = new Set([
  ...['ld', 'ldu', 'st', 'atom', 'red', 'multimem', 'cp', 'ldmatrix', 'stmatrix', 'wmma'],
  ...['suld', 'sust', 'sured', 'tex', 'tld4'],
]);
export const barriers: ReadonlySet<string> = new Set(['bar', 'barrier', 'mbarrier', 'fence', 'membar']);
/** Memory that no other thread sees, or that nobody writes. */
const own: ReadonlySet<string> = new Set(['param', 'local', 'const']);

export function isDelayed({ opcode }: Instruction): boolean {
  const [name = '', ...parts] = opcode;
  if (barriers.has(name)) return true;
  if (name === 'wmma') return parts[0] === 'load' || parts[0] === 'store';
  return accesses.has(name) && !parts.some((part) => own.has(part.split('::')[0] ?? ''));
}

const loads: ReadonlySet<string> = new Set(['ld', 'ldu', 'suld', 'tex', 'tld4', 'ldmatrix']);

/** Generic addresses may be global. `nc` and textures read memory that nobody writes during the kernel. */
export function globalOf({ opcode }: Instruction): GlobalAccess {
  const [name = '', ...parts] = opcode;
  if (!accesses.has(name)) return null;
  const spaces = parts
    .map((part) => part.split('::')[0] ?? '')
    .filter((part) => part === 'shared' || part === 'global');
  if (name === 'ldmatrix' || name === 'stmatrix' || (spaces.length > 0 && !spaces.includes('global'))) return null;
  if (parts.includes('nc') || name === 'tex' || name === 'tld4') return null;
  // The first operand of a copy is its destination.
  if (name === 'cp') return spaces[0] === 'global' ? 'store' : 'load';
  return loads.has(name) || (name === 'wmma' && parts[0] === 'load') ? 'load' : 'store';
}

/** Whether an instruction accesses memory other than parameters and constants. */
export const touchesMemory = ({ opcode: [name = '', ...parts] }: Instruction): boolean =>
  accesses.has(name) && !parts.some((part) => part === 'param' || part === 'const');
