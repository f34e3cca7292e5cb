import { machineAmdgpu } from './code-object-kernels';
import { isElf64, readSections, readSymbols } from './elf';
import { isUnitName } from './unit-id';

const objectType = 1;

/**
 * Name of a writable variable, static ones included, that one of AMD's code objects has and the other lacks or has in
 * another size; null if there is none. A replay restores variables by name, and arguments may point into any.
 */
export function lostVariable(one: Buffer, other: Buffer): string | null {
  const [before, after] = [variables(one), variables(other)];
  const lost = [...before].find(([name, size]) => after.get(name) !== size && !isUnitName(name));
  return lost?.[0] ?? null;
}

function variables(bytes: Buffer): Map<string, bigint> {
  if (!isElf64(bytes, machineAmdgpu)) return new Map();
  const sections = readSections(bytes);
  const symbols = sections
    .filter(({ name }) => name === '.dynsym' || name === '.symtab')
    .flatMap((table) => readSymbols(bytes, table, sections))
    .filter(({ info, section }) => (info & 0xf) === objectType && section > 0 && sections[section]?.name !== '.rodata');
  return new Map(symbols.map(({ name, size }) => [name, size]));
}
