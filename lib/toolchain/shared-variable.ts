/**
 * Definition of a writable variable in device memory (address space 1 or 4) in LLVM's text; `__device__` and
 * `__constant__` variables are `externally_initialized`.
 */
const definition = /^(@(?:"[^"\n]*"|[\w$.-]+)) = (?!external )(?:[^"\n]*? )?addrspace\([14]\) global /;

/**
 * First static variable in device memory that a module's functions use; null if there is none. If the compiler sees all
 * functions of the unit, it knows every value of the variable; otherwise it does not, and the variable would change its
 * size, or lose what another kernel wrote.
 */
export function sharedVariable(module: string): string | null {
  const writable = new Set<string>();
  const used = new Set<string>();
  for (const line of module.split('\n')) {
    const names = [...line.matchAll(/@(?:"[^"\n]*"|[\w$.-]+)/g)].map(([name]) => name);
    const defined = definition.exec(line)?.[1];
    if (defined !== undefined) writable.add(defined);
    // llvm.used and similar lists keep variables without using them.
    if (!line.startsWith('@llvm.')) for (const name of line.startsWith('@') ? names.slice(1) : names) used.add(name);
  }
  return [...writable].find((name) => used.has(name))?.slice(1) ?? null;
}
