import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeObjectExtensions } from '../language/languages';
import { KernloopError } from '../support/error';

const codeObject = `\\.(${codeObjectExtensions.join('|')})$`;

/** A code object beside kernel.json is there to be judged, whatever it is called: `optimized.hsaco`, `candidate.hsaco`, `mine.cubin`. */
const besideKernelJson = new RegExp(`^[^.].*${codeObject}`);

/** In the build folder, which has other things too, these names are known. */
const inBuildFolder = new RegExp(`^(candidate|optimized|kernel_variant)${codeObject}`);

/** Every file that could be meant. */
export function candidateFiles(root: string): string[] {
  return [
    ...namesIn(root, besideKernelJson),
    ...namesIn(join(root, 'build'), inBuildFolder).map((name) => join('build', name)),
  ];
}

/** A code object that the user built without `recompile`; undefined where there is none. */
export function knownVariant(root: string): string | undefined {
  const found = candidateFiles(root);
  if (found.length <= 1) return found[0];
  throw new KernloopError(
    'VARIANT_MISSING',
    `${found.join(' and ')} could both be meant`,
    'name one with --variant; `--variant none` takes the captured code',
  );
}

function namesIn(folder: string, names: RegExp): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => names.test(name))
        .sort()
    : [];
}
