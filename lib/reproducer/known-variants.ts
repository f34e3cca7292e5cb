import { join } from 'node:path';
import { codeObjectExtensions } from '../language/languages';
import { KernloopError } from '../support/error';
import { ReadOnce } from '../support/read-once';

const codeObject = `\\.(${codeObjectExtensions.join('|')})$`;

/** Any code object beside kernel.json is there to be judged: `optimized.hsaco`, `candidate.hsaco`, `mine.cubin`. */
const besideKernelJson = new RegExp(`^[^.].*${codeObject}`);

/** The build folder contains other files, too, so only these names count there. */
const inBuildFolder = new RegExp(`^(candidate|optimized|kernel_variant)${codeObject}`);

/** All files that a user could mean. */
export function candidateFiles(root: string, look = new ReadOnce()): string[] {
  const namesOf = (folder: string, names: RegExp): string[] => look.namesIn(folder).filter((name) => names.test(name));
  return [
    ...namesOf(root, besideKernelJson),
    ...namesOf(join(root, 'build'), inBuildFolder).map((name) => join('build', name)),
  ];
}

/** The code object that the user built without `recompile`; undefined if there is none. */
export function knownVariant(root: string): string | undefined {
  const found = candidateFiles(root);
  if (found.length <= 1) return found[0];
  throw new KernloopError(
    'VARIANT_MISSING',
    `${found.join(' and ')} could both be meant`,
    'name one with --variant; `--variant none` takes the captured code',
  );
}
