import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { compileConditions } from '../recompile/current-variant';
import { reproducerPaths } from '../reproducer/layout';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { changedInput, outsideName } from '../reproducer/variant-json';
import { KernloopError } from '../support/error';
import { isInside, resolveInside, sha256, sha256OfFile, writeJson } from '../support/files';
import { readJson } from '../support/schema';
import { absentFiles } from '../toolchain/probed-names';
import { SystemFolders } from '../toolchain/system-folders';
import type { Llvm } from '../toolchain/find-llvm';
import type { CompileResult } from '../toolchain/compile';
import type { Recipe } from '../toolchain/recipe';
import { cudaParts } from './cuda-installation';
import { pgoToolchainIdentity } from './identity';
import { ownHeaders } from './sources';

const digest = z.string().length(64);
const digests = z.record(z.string(), digest);

/** `build.json`: inputs of PGO's code objects, so that none is reused for another source, option or compiler. */
export const buildJsonSchema = z.object({
  schema: z.literal('kernloop.pgo-build/1'),
  code_objects: z.record(z.string(), z.object({ file: z.string(), sha256: digest })),
  symbol: z.string(),
  target: z.string(),
  compiler: z.string().describe('What clang says of itself.'),
  plugin_sha256: digest.describe('The plugin as it was built; its sources count in `conditions_sha256`.'),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe('Every option of the plugin.'),
  profile_sha256: digest.nullable().describe('The merged profile and its side file, where they were used.'),
  recipe_sha256: digest,
  sources: digests,
  outside: digests,
  system: digests,
  absent: z.array(z.string()),
  conditions_sha256: digest.describe('Recipe, toolchain, options, profile, and which files there are to be included.'),
});

export type BuildJson = z.output<typeof buildJsonSchema>;
type BuildOptions = BuildJson['options'];

/** Build inputs other than the files that the compiler reads. */
export interface BuildKey {
  readonly options: BuildOptions;
  readonly profileSha256: string | null;
}

export function buildConditions(root: string, { options, profileSha256 }: BuildKey, deps: Pick<Deps, 'env'>): string {
  const toolchain = pgoToolchainIdentity(deps.env);
  const known = { toolchain };
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(
    JSON.stringify([
      compileConditions(openReproducer(root), { lineInfo: true }, deps.env, known),
      sorted,
      profileSha256,
    ]),
  );
}

export interface Built {
  readonly reproducer: Reproducer;
  readonly recipe: Recipe;
  readonly llvm: Llvm;
  readonly pluginSha256: string;
  readonly key: BuildKey;
  readonly conditions: string;
  /** Absolute paths, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly compiled: readonly CompileResult[];
}

export function writeBuildJson(path: string, built: Built, deps: Deps): BuildJson {
  const { reproducer, recipe, llvm, key } = built;
  const sources = Object.assign({}, ...built.compiled.map((one) => one.sources)) as Record<string, string>;
  // Kernloop's own headers are part of the conditions, and have another path on another machine.
  const elsewhere = [...new Set(built.compiled.flatMap((one) => one.outside))]
    .filter((file) => !isInside(ownHeaders, file))
    .sort();
  const { found: cuda } = cudaParts(deps.env);
  const system = new SystemFolders([llvm.clang, ...(cuda === null ? [] : [cuda.ptxas])], deps.env);
  const outside = elsewhere.filter((file) => !system.contain(file));
  const digestsOf = (files: readonly string[], name: (file: string) => string): Record<string, string> =>
    Object.fromEntries(files.map((file) => [name(file), sha256OfFile(file)]));
  const json: BuildJson = {
    schema: 'kernloop.pgo-build/1',
    code_objects: Object.fromEntries(
      Object.entries(built.files).map(([name, file]) => [name, { file: basename(file), sha256: sha256OfFile(file) }]),
    ),
    symbol: recipe.symbol,
    target: recipe.target,
    compiler: llvm.version,
    plugin_sha256: built.pluginSha256,
    options: key.options,
    profile_sha256: key.profileSha256,
    recipe_sha256: sha256OfFile(reproducerPaths(reproducer.root).recipe),
    sources,
    outside: digestsOf(outside, (file) => outsideName(file, reproducer)),
    system: digestsOf(
      elsewhere.filter((file) => system.contain(file)),
      (file) => file,
    ),
    absent: absentFiles(
      [...Object.keys(sources).map((name) => join(reproducer.root, name)), ...outside],
      reproducer.root,
    ).map((file) => outsideName(file, reproducer)),
    conditions_sha256: built.conditions,
  };
  writeJson(path, json);
  return json;
}

/**
 * Returns the build in the folder if it is what these sources give; null if there is none or an input changed. A
 * machine without LLVM cannot check its own compiler, so it accepts a build made elsewhere.
 */
export function currentBuild(
  folder: string,
  reproducer: Reproducer,
  key: BuildKey | null,
  deps: Pick<Deps, 'env'>,
): BuildJson | null {
  const path = join(folder, 'build.json');
  if (!existsSync(path)) return null;
  try {
    const build = readJson(path, buildJsonSchema, 'PGO_BUILD_MISSING', '');
    const { options, profile_sha256: profileSha256 } = build;
    const wanted = key ?? { options, profileSha256 };
    const isSame = JSON.stringify(sortedEntries(wanted.options)) === JSON.stringify(sortedEntries(options));
    const isElsewhere = pgoToolchainIdentity(deps.env) === 'none';
    const isCurrent =
      isSame &&
      wanted.profileSha256 === profileSha256 &&
      codeObjectsAreThere(folder, build) &&
      // System headers differ on another machine, so they are not compared.
      changedInput(reproducer, isElsewhere ? { ...build, system: {} } : build) === null &&
      (isElsewhere || build.conditions_sha256 === buildConditions(reproducer.root, wanted, deps));
    return isCurrent ? build : null;
  } catch (error) {
    if (error instanceof KernloopError) return null;
    throw error;
  }
}

/** The current build, for a task that runs what another task built, perhaps on another machine. */
export function requireBuild(
  folder: string,
  reproducer: Reproducer,
  key: BuildKey | null,
  [task, before]: readonly [task: string, before: string],
  deps: Pick<Deps, 'env'>,
): BuildJson {
  const build = currentBuild(folder, reproducer, key, deps);
  if (build !== null) return build;
  throw new KernloopError(
    'PGO_BUILD_MISSING',
    `${reproducer.config.name}: pgo/${basename(folder)} holds no code of ${key === null ? '' : 'this profile and of '}the sources as they are`,
    `run the target ${before} first (${task} depends on it)`,
  );
}

const sortedEntries = (options: BuildOptions): [string, unknown][] =>
  Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));

function codeObjectsAreThere(folder: string, { code_objects: objects }: BuildJson): boolean {
  return Object.values(objects).every(({ file, sha256: wanted }) => {
    const path = resolveInside(folder, file, 'build.json: file');
    return existsSync(path) && sha256OfFile(path) === wanted;
  });
}
