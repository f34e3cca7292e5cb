import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { z } from 'zod';
import { variantLaunchSchema } from '../toolchain/variant-launch';
import { configurationSchema } from './configuration';
import { reproducerPaths } from './layout';
import { resolveInside, sha256OfFile, isInside } from '../support/files';
import type { ReadOnce } from '../support/read-once';

const digest = z.string().length(64);
const digests = z.record(z.string(), digest);

/**
 * `build/variant.json`: inputs of a variant's code object, so that a stale one is never taken for the edited source.
 */
export const variantJsonSchema = z.looseObject({
  schema: z.literal('kernloop.variant/1'),
  code_object: z.string().describe('File name, beside this file.'),
  code_object_sha256: digest,
  ptx_sha256: digest.optional().describe('Of variant.ptx, which nvcc made on the way.'),
  symbol: z.string(),
  compiler: z.strictObject({ name: z.string(), version: z.string() }),
  target: z.string(),
  recipe_sha256: digest,
  sources: digests.describe('Every file of the reproducer that went into it.'),
  outside: digests
    .optional()
    .describe('Every other file that the compiler read; relative to the reproducer where it lies in the workspace.'),
  system: digests.optional().describe('Headers of the toolchain and the system that it read, by their absolute paths.'),
  absent: z
    .array(z.string())
    .optional()
    .describe(
      'Files that the sources ask for and that did not exist, named as those of `outside`: they would change the code.',
    ),
  launch: variantLaunchSchema
    .optional()
    .describe('How it is launched, where its source decides that; else as the captured code was.'),
  configuration: configurationSchema.optional().describe('That of kernel.json when it was built.'),
  own_macros: z
    .array(z.string())
    .optional()
    .describe('Macros of the configuration, NAME=VALUE, that the command of the app does not define so.'),
  place_dependent: z
    .boolean()
    .optional()
    .describe('Its data are other ones where it is compiled in another folder or at another time (`__FILE__`).'),
  line_info: z
    .literal(true)
    .optional()
    .describe('It names the lines of the source, because `--line-info` asked for it.'),
  conditions_sha256: digest
    .optional()
    .describe('What else decides the code: recipe, options, toolchain, and which files there are to be included.'),
});

export type VariantJson = z.output<typeof variantJsonSchema>;

/**
 * Name of a file outside the reproducer in variant.json: relative within the workspace, which may be moved as a whole.
 */
export function outsideName(path: string, { root, workspaceRoot }: { root: string; workspaceRoot: string }): string {
  return isInside(workspaceRoot, path) ? relative(root, path) : path;
}

/** First input of the variant that has changed; null if none has. */
export function changedInput(
  { root, files }: { root: string; files: ReadOnce },
  {
    recipe_sha256: recipe,
    sources,
    outside = {},
    system = {},
    absent = [],
  }: Pick<VariantJson, 'recipe_sha256' | 'sources' | 'outside' | 'system' | 'absent'>,
  digestOf: (path: string) => string = sha256OfFile,
): string | null {
  const is = (path: string, digest: string): boolean => existsSync(path) && digestOf(path) === digest;
  for (const [name, digest] of Object.entries(sources))
    if (!is(resolveInside(root, name, 'build/variant.json: sources'), digest)) return name;
  for (const [name, digest] of Object.entries(outside)) if (!is(resolve(root, name), digest)) return name;
  // A machine that only replays lacks the toolchain's files; a missing one counts as unchanged.
  for (const [name, digest] of Object.entries(system))
    if (!isAbsolute(name) || (existsSync(name) && digestOf(name) !== digest)) return name;
  for (const name of absent) if (existsSync(resolve(root, name))) return name;
  const { recipe: recipePath } = reproducerPaths(root);
  return files.isThere(recipePath) && files.digestOf(recipePath) !== recipe ? 'pristine/recipe.json' : null;
}
