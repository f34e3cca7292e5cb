import { readSections, readSymbols, sectionTypes, isElf64 } from '../toolchain/elf';
import { findModuleIds } from '../toolchain/module-id';

const machineCuda = 190;

/**
 * Renames symbols of clang's code to those of the captured code. nvcc names static symbols and anonymous namespaces in
 * its own way, and a replay finds kernel and variables by name.
 */
export function capturedNames(captured: Buffer | null, symbol: string): (ptx: string) => string {
  const wanted = new Map<string, string | null>();
  for (const name of new Set([symbol, ...(captured === null ? [] : namesIn(captured))])) {
    const source = sourceName(name);
    // Two names with the same source name are ambiguous, so neither is renamed.
    wanted.set(source, wanted.has(source) ? null : name);
  }
  return (ptx) =>
    ptx.replaceAll(/(?<![\w$%.])_Z\w+/g, (name) => {
      const other = wanted.get(sourceName(name));
      return other ?? name;
    });
}

function namesIn(code: Buffer): string[] {
  if (!isElf64(code, machineCuda)) return [];
  const sections = readSections(code);
  const text = '.text.';
  const kernels = sections.flatMap(({ name }) => (name.startsWith(text) ? [name.slice(text.length)] : []));
  const objects = sections
    .filter(({ type }) => type === sectionTypes.symtab)
    .flatMap((table) => readSymbols(code, table, sections))
    .filter(({ info }) => (info & 0xf) === symbolObject)
    .map(({ name }) => name);
  return [...kernels, ...objects].filter((name) => name !== '' && !name.startsWith('.'));
}

const symbolObject = 1;

/** Mangled name without linkage marks: equal for nvcc's and clang's names of the same symbol. */
export function sourceName(name: string): string {
  let plain = '';
  let at = 0;
  for (const { start, end, id } of findModuleIds(name)) {
    plain += name.slice(at, start) + (name.slice(start, end - id.length).includes('_GLOBAL_') ? '12_GLOBAL__N_1' : '');
    at = end;
  }
  plain = (plain + name.slice(at))
    .replace(/^_(?=_Z)/, '')
    // Suffix that clang adds to internal symbols that the host references.
    .replace(/__(static|intern)__[0-9a-f]*$/, '')
    .replaceAll(/L(?=\d)/g, '');
  const [, length, variable] = /^_ZN?(\d+)(\w+?)E?$/.exec(plain) ?? [];
  return variable !== undefined && variable.length === Number(length) ? variable : plain;
}
