import { rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join, posix } from 'node:path';
import { parseDemangledName } from '../source/demangled-name';
import { sha256OfFile } from '../support/files';
import type { Recipe, UnprovenRecipe } from '../toolchain/recipe';
import { readRegularFile } from '../support/regular-file';

/** Code objects with fewer kernels are compiled whole, because there is little to gain. */
export const manyKernels = 8;

/** Unit compiled instead of the app's own: its path below deps/ and its text. */
export interface OneKernelUnit {
  main: string;
  text: string;
}

/**
 * Writes a unit that instantiates only the captured kernel: the directives of the app's unit and a use of the kernel.
 * Null if the kernel is defined in the unit itself, or is no template. Only compiling shows whether it gives the same
 * code, or compiles at all (a lambda has no name to use).
 */
export function oneKernelUnit(
  { main, variant }: Pick<UnprovenRecipe, 'main' | 'variant'>,
  unitText: string,
  demangled: string,
): OneKernelUnit | null {
  const { scope, base, templateArguments } = parseDemangledName(demangled);
  if (main === variant.stands_for || templateArguments === null) return null;
  const place = scope.filter((part) => part !== null).map((part) => `${part}::`);
  const named = `${place.join('')}${base}<${templateArguments.join(', ').replaceAll('(anonymous namespace)::', '')}>`;
  const end = extname(main);
  return {
    main: posix.join(posix.dirname(main), `${basename(main, end)}.one-kernel${end}`),
    text: [
      `// Compiled in the place of ${basename(main)}: its directives, and of all kernels the captured one.`,
      ...directives(unitText),
      `void *const kernloop_captured_kernel = (void *)&${named};`,
      '',
    ].join('\n'),
  };
}

/** Preprocessor lines with their continuation lines. */
function directives(text: string): string[] {
  return text.match(/^[ \t]*#(?:\\\r?\n|[^\n])*/gm) ?? [];
}

/** Writes the unit into pristine/; returns its entry for the recipe. */
export function writeOneKernelUnit(folder: string, { main, text }: OneKernelUnit, origin: string): Recipe['files'] {
  const place = posix.join('deps', main);
  writeFileSync(join(folder, place), text);
  return { [place]: { origin, sha256: sha256OfFile(join(folder, place)) } };
}

export function removeOneKernelUnit(folder: string, { main }: OneKernelUnit): void {
  rmSync(join(folder, 'deps', main), { force: true });
}

export function textOfUnit(folder: string, main: string): string {
  return readRegularFile(join(folder, 'deps', main), 'utf8');
}
