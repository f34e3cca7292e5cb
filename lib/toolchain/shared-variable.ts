/** A definition in the device's memory (1) that can be written, as LLVM's text has it; `__device__` and `__constant__` variables are `externally_initialized`. */
const definition = /^(@(?:"[^"\n]*"|[\w$.-]+)) = (?!external )(?:[^"\n]*? )?addrspace\([14]\) global /;

/**
 * The first static variable in device memory that functions of a module use; null where there is none. With all functions of the unit in sight the compiler
 * knows every value it can have, without the others it does not: it would get another size, or lose what another kernel wrote.
 */
export function sharedVariable(module: string): string | null {
  const writable = new Set<string>();
  const used = new Set<string>();
  for (const line of module.split('\n')) {
    const names = [...line.matchAll(/@(?:"[^"\n]*"|[\w$.-]+)/g)].map(([name]) => name);
    const defined = definition.exec(line)?.[1];
    if (defined !== undefined) writable.add(defined);
    // llvm.used and its kind keep what they name, and use nothing of it.
    if (!line.startsWith('@llvm.')) for (const name of line.startsWith('@') ? names.slice(1) : names) used.add(name);
  }
  return [...writable].find((name) => used.has(name))?.slice(1) ?? null;
}
