import { join, posix } from 'node:path';
import { z } from 'zod';
import { sha256OfFile } from '../support/files';
import { filesBelow, refuseForeign } from '../support/foreign';
import { ReadOnce } from '../support/read-once';
import { readRegularFile } from '../support/regular-file';

/** Files that every reproducer has. */
const ownFiles = ['kernel.json', 'recipe.json', 'overlay.template.json', 'reads.json', 'Makefile', 'README.md'];

/** Part of the recipe about the generated files. */
const generatedSchema = z.looseObject({
  files: z.record(z.string(), z.looseObject({ sha256: z.string() })),
  variant: z.looseObject({ stands_for: z.string() }),
});

/** Files of `pristine/` that generate did not write, or that the user edited: the next generate would remove them. */
export function foreignFiles(pristine: string, look = new ReadOnce()): string[] {
  if (!look.isThere(pristine)) return [];
  const { files, stand } = generatedIn(pristine);
  return filesBelow(pristine, look)
    .filter(({ path, isFile }) => {
      const digest = files.get(path);
      if (digest !== undefined) return !isFile || sha256OfFile(join(pristine, path)) !== digest;
      return !isFile || (path !== stand && !ownFiles.includes(path));
    })
    .map(({ path }) => path)
    .sort();
}

function generatedIn(pristine: string): { files: ReadonlyMap<string, string>; stand: string | null } {
  try {
    const text = readRegularFile(join(pristine, 'recipe.json'), 'utf8');
    const { files, variant } = generatedSchema.parse(JSON.parse(text));
    return {
      files: new Map(Object.entries(files).map(([path, { sha256 }]) => [path, sha256])),
      stand: posix.join('deps', variant.stands_for),
    };
  } catch {
    // Without a source or recipe, only the project files are known to be ours.
    return { files: new Map(), stand: null };
  }
}

export function refuseForeignFiles(pristine: string): void {
  refuseForeign(
    pristine,
    foreignFiles(pristine),
    'not as generate wrote it, and generating again replaces pristine/',
    'move what is yours elsewhere, for example beside kernel.json, or remove it',
  );
}
