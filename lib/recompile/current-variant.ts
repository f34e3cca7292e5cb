import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { pristineOnly, reproducerPaths } from '../reproducer/layout';
import { notSources } from '../stage/writes';
import { KernloopError } from '../support/error';
import { resolveInside, sha256, sha256OfFile } from '../support/files';
import { readJson } from '../support/schema';
import { version } from '../support/version';
import { askedFiles } from '../toolchain/probed-names';
import { toolchainIdentity } from '../toolchain/identity';
import type { RecompileOptions } from './options';
import { recipeSchema } from '../toolchain/recipe';
import { changedInput, variantJsonSchema, type VariantJson } from '../reproducer/variant-json';
import { readingConditions, readsJsonSchema, type ReadsJson } from '../reproducer/reads-json';
import type { Environment } from '../support/environment';
import { ReadOnce } from '../support/read-once';

/** State shared by several reproducers of one command. */
export interface Known {
  digestOf: (path: string) => string;
  isThere?: (path: string) => boolean;
  toolchain: string;
  /** Undefined if each look at a project must see what was changed since. */
  opened?: ReadOnce;
  /** Look that has variant.json; undefined where it would keep those of thousands of reproducers. */
  built?: ReadOnce;
}

/** `opened`: look of the command, which has read project files already. Sources are looked at anew. */
export const knowing = (env: Environment, opened = new ReadOnce()): Known => ({
  digestOf: new ReadOnce().digestOf,
  toolchain: toolchainIdentity(env),
  opened,
  built: opened,
});

/** Code objects are judged, not compiled. */
export const codeObjects = /\.(hsaco|co|cubin)$/;

/**
 * Inputs of a variant's code besides the files that the compiler read: recipe, overlay, options, toolchain, and the
 * names of files that could be included, because a new file may hide another.
 */
export function compileConditions(
  { root, config, files }: Pick<Reproducer, 'root' | 'config' | 'files'>,
  { lineInfo = false }: Pick<RecompileOptions, 'lineInfo'>,
  env: Environment,
  { toolchain }: Pick<Known, 'toolchain'> = { toolchain: toolchainIdentity(env) },
): string {
  const { recipe, overlayTemplate } = reproducerPaths(root);
  const digests = [recipe, overlayTemplate].map((path) => (files.isThere(path) ? files.digestOf(path) : 'none'));
  return sha256(
    JSON.stringify([version, lineInfo, toolchain, ...digests, compiledNames(root), ...configurationOf(config)]),
  );
}

/** The part of kernel.json that is compiled. */
const configurationOf = ({ configuration }: Reproducer['config']): unknown[] =>
  configuration === undefined ? [] : [configuration];

/** Files in a reproducer's folder that may be compiled. */
export const topNames = (root: string): string[] =>
  readdirSync(root).filter((name) => !notSources.has(name) && !codeObjects.test(name));

function compiledNames(root: string): string[] {
  const names = topNames(root);
  const below = join(root, 'deps');
  const deps = names.includes('deps') ? readdirSync(below, { recursive: true, encoding: 'utf8' }) : [];
  return [...names, ...deps.map((name) => join('deps', name))].filter((name) => !name.includes('.partial-')).sort();
}

/**
 * Digest of everything that went into the last build, if recompile would build the same again; undefined if anything
 * differs or cannot be known. Under Nx it decides whether a recompile can be left out: no list of inputs made
 * beforehand can name the headers of an edit.
 */
export function currentVariant(
  folder: string,
  options: Pick<RecompileOptions, 'lineInfo'>,
  env: Environment,
  known: Known = knowing(env),
): string | undefined {
  const built = currentBuild(folder, [options.lineInfo], env, known);
  return built && digestOfReads(built.conditions_sha256 ?? '', built);
}

/** Digest of the files read, which is the same with and without line information. */
export function currentReads(folder: string, env: Environment, known: Known): string | undefined {
  const built = currentBuild(folder, [false, true], env, known);
  return built && digestOfReads(compileConditions(openReproducer(folder, known.opened), {}, env, known), built);
}

/** `accepted`: with line information, without, or either. */
function currentBuild(
  folder: string,
  accepted: readonly RecompileOptions['lineInfo'][],
  env: Environment,
  known: Known,
): VariantJson | undefined {
  try {
    const reproducer = openReproducer(folder, known.opened);
    const { root } = reproducer;
    const paths = reproducerPaths(root);
    const built = readJson(paths.variantJson, variantJsonSchema, 'VARIANT_MISSING', '', known.built);
    const code = resolveInside(paths.build, built.code_object, 'build/variant.json: code_object');
    const isCurrent =
      existsSync(code) &&
      // Hashed anew, never cached: the result of a recompile is small.
      sha256OfFile(code) === built.code_object_sha256 &&
      built.outside !== undefined &&
      readsOnlyWhatItTells(reproducer) &&
      changedInput(reproducer, built, known.digestOf) === null &&
      Object.keys(built.system ?? {}).every((path) => existsSync(path)) &&
      accepted.some((lineInfo) => built.conditions_sha256 === compileConditions(reproducer, { lineInfo }, env, known));
    return isCurrent ? built : undefined;
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/**
 * Nx runs the task again after each recompile, because the files that were read are known only then: it need not
 * compile again, nor after `validate`, which adds line information.
 */
export function isUpToDate(
  { reproducer, lineInfo }: Pick<RecompileOptions, 'reproducer' | 'lineInfo'>,
  { env, report }: Pick<Deps, 'env' | 'report'>,
): boolean {
  const accepted = lineInfo === undefined ? [false, true] : [lineInfo];
  const known = knowing(env);
  if (currentBuild(reproducer, accepted, env, known) === undefined) return false;
  report.result(`${openReproducer(reproducer, known.opened).config.name}: what recompile built is up to date`);
  return true;
}

/**
 * The same digest before any build, as in a fresh clone: for an untouched source, generate recorded the files that the
 * compiler reads. Undefined if a file differs, or if a new file may hide another.
 */
export function untouchedVariant(folder: string, env: Environment, known: Known = knowing(env)): string | undefined {
  try {
    // Checked before anything is parsed: Nx asks it for every reproducer in every command.
    if (!(known.isThere ?? existsSync)(reproducerPaths(folder).reads)) return undefined;
    const reproducer = openReproducer(folder, known.opened);
    const { root } = reproducer;
    const reads = generatedReads(root);
    const isUntouched =
      reads.conditions_sha256 === readingConditions(known.toolchain) &&
      changedInput(reproducer, { ...reads, outside: {} }, known.digestOf) === null &&
      Object.keys(reads.system).every((path) => existsSync(path)) &&
      isWithoutAdditions(root, reads);
    return isUntouched ? digestOfReads(compileConditions(reproducer, {}, env, known), reads) : undefined;
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

const generatedReads = (root: string): ReadsJson =>
  readJson(reproducerPaths(root).reads, readsJsonSchema, 'SOURCE_NOT_FOUND', '');

/**
 * Whether no file was added to an unedited source that its compilation could read; true if generate recorded no reads,
 * as older versions did not.
 */
export function hasNoAdditions(root: string): boolean {
  return !existsSync(reproducerPaths(root).reads) || isWithoutAdditions(root, generatedReads(root));
}

function isWithoutAdditions(root: string, { sources }: Pick<ReadsJson, 'sources'>): boolean {
  const namesIn = (folder: string): string =>
    compiledNames(folder)
      .filter((name) => !notIncluded.includes(name))
      .join('\n');
  return namesIn(root) === namesIn(reproducerPaths(root).pristine) && asksForNoMore(root, Object.keys(sources));
}

/**
 * A file that a source includes, and that did not exist when generate ran, may hide another or make `__has_include`
 * true.
 */
function asksForNoMore(root: string, sources: readonly string[]): boolean {
  const known = sources.map((name) => join(root, name));
  return askedFiles(known, root).every((path) => known.includes(path) || !existsSync(path));
}

/** Files that exist only in pristine/ or only in the project, and that no compiler reads. */
const notIncluded: readonly string[] = [...pristineOnly, 'project.json', 'package.json'];

/** Digest of every file that the compiler read and of the conditions; together they determine the code. */
function digestOfReads(
  conditions: string,
  { sources, outside, system }: Pick<VariantJson, 'sources' | 'outside' | 'system'>,
): string {
  const lines = [sources, outside ?? {}, system ?? {}].map((files) => Object.entries(files).sort());
  return sha256(JSON.stringify([conditions, ...lines]));
}

/** NVRTC does not report which files of its include folders it read. */
function readsOnlyWhatItTells({ root, files }: Reproducer): boolean {
  const { recipe } = reproducerPaths(root);
  const { nvrtc, arguments: args } = readJson(recipe, recipeSchema, 'SOURCE_NOT_FOUND', '', files);
  return nvrtc === undefined || !args.some((arg) => /^(-I|--include-path|-include|--pre-include)/.test(arg));
}
