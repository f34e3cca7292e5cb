import { existsSync, readdirSync, readFileSync, type Dirent } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';

/** What every reproducer has. */
const ownFiles = ['kernel.json', 'recipe.json', 'overlay.template.json', 'reads.json', 'Makefile', 'README.md'];

/** What the recipe says of the files that were generated with it. */
const generatedSchema = z.looseObject({
  files: z.record(z.string(), z.looseObject({ sha256: z.string() })),
  variant: z.looseObject({ stands_for: z.string() }),
});

/** Files of `pristine/` that generate did not write, or that were edited since: the user's, which the next generate would remove. */
export function foreignFiles(pristine: string): string[] {
  if (!existsSync(pristine)) return [];
  const { files, stand } = generatedIn(pristine);
  return entriesBelow(pristine)
    .map((entry) => ({ path: relative(pristine, join(entry.parentPath, entry.name)), isFile: entry.isFile() }))
    .filter(({ path, isFile }) => {
      const digest = files.get(path);
      if (digest !== undefined) return !isFile || sha256OfFile(join(pristine, path)) !== digest;
      return !isFile || (path !== stand && !ownFiles.includes(path));
    })
    .map(({ path }) => path)
    .sort();
}

/** What is no folder. Node's own `recursive` costs several times this, and Nx asks it of every reproducer in every command. */
function entriesBelow(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entriesBelow(join(folder, entry.name)) : [entry],
  );
}

function generatedIn(pristine: string): { files: ReadonlyMap<string, string>; stand: string | null } {
  try {
    const text = readFileSync(join(pristine, 'recipe.json'), 'utf8');
    const { files, variant } = generatedSchema.parse(JSON.parse(text));
    return {
      files: new Map(Object.entries(files).map(([path, { sha256 }]) => [path, sha256])),
      stand: posix.join('deps', variant.stands_for),
    };
  } catch {
    // No source, or no recipe any more: nothing but the project files is known to be ours.
    return { files: new Map(), stand: null };
  }
}

export function refuseForeignFiles(pristine: string): void {
  const foreign = foreignFiles(pristine);
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 8).map((path) => join(pristine, path));
  throw new KernloopError(
    'FILE_FOREIGN',
    `${shown.join(', ')}${foreign.length > shown.length ? ` and ${foreign.length - shown.length} more` : ''}: not as generate wrote it, and generating again replaces pristine/`,
    'move what is yours elsewhere, for example beside kernel.json, or remove it',
  );
}
