import type { Described } from '../toolchain/described-code';
import { findModuleIds } from '../toolchain/module-id';

/**
 * Renames symbols of clang's code to those of the captured code. nvcc names static symbols and anonymous namespaces in
 * its own way, and a replay finds kernel and variables by name.
 */
export function capturedNames(captured: Described | null, symbol: string): (ptx: string) => string {
  const wanted = new Map<string, string | null>();
  for (const name of new Set([symbol, ...(captured?.functions === undefined ? [] : namesIn(captured))])) {
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

const namesIn = ({ functions = [], variables }: Described): string[] =>
  [...functions, ...variables].map(({ name }) => name).filter((name) => name !== '' && !name.startsWith('.'));

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
