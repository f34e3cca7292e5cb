import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { foldersIn } from '../app/apps-in';
import { captureFile } from '../archive/capture-files';
import { kernelJsonSchema, type KernelJson } from './kernel-json';
import { closest, KernloopError } from '../support/error';
import { resolveInside, sha256OfFile } from '../support/files';
import { commandText } from '../support/command-text';
import { openedOnce } from '../support/opened-once';
import { ReadOnce } from '../support/read-once';
import { readJson } from '../support/schema';
import { changedInput, variantJsonSchema, type VariantJson } from './variant-json';
import { candidateFiles, knownVariant } from './known-variants';
import { reproducerPaths } from './layout';
import { reproducersIn } from './reproducers-in';
import { workspaceIn } from './workspace-in';
import { isOfThisSource, placedVariant } from './optimized-variant';
import { scriptsOf } from '../language/languages';
import { candidateSchema, launchOf, type Candidate } from '../toolchain/compile-triton';
import type { VariantLaunch } from '../toolchain/variant-launch';
import type { Configuration } from './configuration';
import { findUpward, findWorkspaceRoot } from '../support/workspace-root';
import { kernelFile } from '../support/project-file-names';
import { readRegularFile } from '../support/regular-file';

/** A reproducer as its kernel.json declares it. */
export interface Reproducer {
  readonly root: string;
  readonly workspaceRoot: string;
  readonly config: KernelJson;
  readonly capture: string;
  readonly report: string;
  /** Its project files and those of its captures; each is read once. */
  readonly files: ReadOnce;
}

const mostNamed = 4;

/** "did you mean kernels/demo/scale? ", if a reproducer here is named so or nearly so, or else a folder beside it. */
function closeTo(folder: string): string {
  const typed = basename(resolve(folder));
  const here = reproducersIn(findWorkspaceRoot(process.cwd()));
  const names = closest(
    typed,
    here.map((at) => basename(at)),
  );
  const named = here.filter((at) => names.includes(basename(at))).map((at) => relative(process.cwd(), at));
  const parent = dirname(resolve(folder));
  const folders = existsSync(parent) ? readdirSync(parent, { withFileTypes: true }) : [];
  const beside = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const meant = named.length > 0 ? named : closest(typed, beside, 1).map((name) => join(dirname(folder), name));
  return meant.length === 0 ? '' : `did you mean ${meant.slice(0, mostNamed).join(', or ')}? `;
}

/** The reproducers of the workspace in whose root the command was typed, or in the named folder. */
function namedHere(folder: string): string | undefined {
  const root = workspaceIn(folder);
  const below =
    root === undefined
      ? foldersIn(resolve(folder)).filter((at) => existsSync(join(at, kernelFile)))
      : reproducersIn(root);
  if (below.length === 0) return undefined;
  const all = below.map((at) => relative(process.cwd(), at));
  const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more (\`kernloop kernels\` lists them)` : '';
  return `name the reproducer: ${all.slice(0, mostNamed).join(', ')}${more}`;
}

/** Opens the reproducer in `folder`, or in the nearest folder upward. */
export const openReproducer = openedOnce((folder, files = new ReadOnce()): Reproducer => {
  if (!existsSync(resolve(folder))) {
    throw new KernloopError(
      'CONFIG_MISSING',
      `${resolve(folder)} does not exist`,
      `${closeTo(folder)}name the folder of a reproducer (kernels/<app>/<kernel>); \`kernloop kernels\` lists them`,
    );
  }
  const root = findUpward(resolve(folder), kernelFile);
  if (root === undefined) {
    if (existsSync(captureFile(resolve(folder)))) {
      throw new KernloopError(
        'CONFIG_MISSING',
        `${resolve(folder)} is a capture without a project: no ${kernelFile} in it or above`,
        'make it a project in the sources of its app: copy it to kernels/APP/KERNEL/capture beside a kernloop.json that declares KERNEL (`kernloop init`, `kernloop declare KERNEL`), then `kernloop generate KERNEL` and `kernloop adopt kernels/APP/KERNEL`',
      );
    }
    if (existsSync(join(reproducerPaths(resolve(folder)).pristine, kernelFile))) {
      throw new KernloopError(
        'CONFIG_MISSING',
        `${resolve(folder)} was generated, and has no files to edit yet`,
        `copy them out of its pristine/: \`${commandText(['kernloop', 'adopt', folder])}\``,
      );
    }
    throw new KernloopError(
      'CONFIG_MISSING',
      `no ${kernelFile} in ${resolve(folder)} or above`,
      `${namedHere(folder) ?? 'go to the folder of a reproducer (kernels/<app>/<kernel>), or name it with --reproducer'}; \`kernloop extract\` makes one`,
    );
  }
  const config = readJson(
    join(root, kernelFile),
    kernelJsonSchema,
    'CONFIG_MISSING',
    'extract the kernel again',
    files,
  );
  return {
    root,
    workspaceRoot: findWorkspaceRoot(root),
    config,
    capture: join(root, 'capture'),
    report: join(root, 'report.json'),
    files,
  };
});

/** Code to replay: the captured code, or a code object in its place. */
export type Code =
  | {
      kind: 'captured';
      note?: string;
      /** An edit in the reproducer that the user perhaps meant to judge; `words` describe it. */
      unjudged?: { file: string; words: string } | undefined;
    }
  | {
      kind: 'variant';
      path: string;
      shown: string;
      sha256: string;
      launch?: VariantLaunch | undefined;
      /** Whether its data changes with the path of compilation. */
      isPlaceDependent?: boolean | undefined;
      /** Launch configuration of a C++ variant, evaluated for each capture. */
      configuration?: Configuration | undefined;
      /** Its macros, NAME=VALUE, that the command of the app does not define so. */
      ownMacros?: readonly string[] | undefined;
    };

const recompileHint = 'run `kernloop recompile` (or `make recompile`, or the recompile target)';

/**
 * Chooses the code that a stage replays. Without a name: a code object that the user put beside kernel.json, else the
 * result of recompile for the current sources; the captured code if nothing was edited or there is no source. An older
 * build of sources edited since is never chosen.
 */
export function chooseCode(reproducer: Reproducer, variant: string | undefined): Code {
  if (variant === 'none') return capturedCode(reproducer);
  if (variant !== undefined) return namedVariant(reproducer, variant);
  const hasSource = reproducer.config.language !== 'none';
  const placed = placedCode(reproducer);
  if (placed?.by === 'pgo-use') return namedVariant(reproducer, placed.file);
  if (placed !== undefined) return userBuilt(reproducer, placed.file, hasSource);
  if (hasSource && existsSync(join(reproducer.root, 'build', 'variant.json'))) return builtVariant(reproducer);
  if (!hasSource) return { kind: 'captured', note: 'this kernel has no source' };
  const edited = editedFile(reproducer);
  if (edited === undefined) return { kind: 'captured', note: 'nothing was edited' };
  throw new KernloopError(
    'VARIANT_MISSING',
    `${edited} was edited but not compiled`,
    `${recompileHint}; \`--variant none\` takes the captured code`,
  );
}

/**
 * The code object in the folder that is meant in place of a build of `recompile`. One that pgo-use placed for another
 * source is not, nor one that reproducer.py compiled before an edit, and the user has nothing to remove.
 */
export function placedCode(reproducer: Reproducer): { file: string; by: 'user' | 'pgo-use' } | undefined {
  const { root } = reproducer;
  const file = knownVariant(root);
  const placed = placedVariant(root);
  if (file === undefined || outdatedCandidate(reproducer) !== undefined) return undefined;
  if (file !== placed?.file) return { file, by: 'user' };
  return isOfThisSource(reproducer, placed) ? { file, by: 'pgo-use' } : undefined;
}

/**
 * The code object that reproducer.py left in build/, if a source was edited since. If no source differs from what was
 * captured, the user may have brought it from elsewhere.
 */
export function outdatedCandidate(reproducer: Reproducer): { file: string; edited: string } | undefined {
  const { root, config } = reproducer;
  if (scriptsOf(config.language).length === 0) return undefined;
  const file = knownVariant(root);
  if (file === undefined || dirname(file) !== 'build') return undefined;
  const path = join(root, file);
  const facts = candidateBeside(path);
  if (facts?.code_object_sha256 !== sha256OfFile(path) || isOfTheseSources(reproducer, file)) return undefined;
  const edited = editedFile(reproducer);
  return edited === undefined || Object.keys(facts.sources).length === 0 ? undefined : { file, edited };
}

/**
 * The captured code, on request. An edit does not forbid it, but is reported, because the reader of the verdict may not
 * know of the request.
 */
function capturedCode(reproducer: Reproducer): Code {
  const [placed] = candidateFiles(reproducer.root);
  const edited = reproducer.config.language === 'none' ? undefined : editedFile(reproducer);
  const file = edited ?? placed;
  if (file === undefined) return { kind: 'captured' };
  const edit = file === kernelFile ? 'configuration' : 'edit';
  const words = file === edited ? `the ${edit} of ${file}` : file;
  return { kind: 'captured', note: `not ${words}`, unjudged: { file, words } };
}

/** A code object that the user placed is meant, unless the source was edited as well. */
function userBuilt(reproducer: Reproducer, known: string, hasSource: boolean): Code {
  const edited = hasSource && !isOfTheseSources(reproducer, known) ? editedFile(reproducer) : undefined;
  if (edited === undefined) return namedVariant(reproducer, known);
  throw new KernloopError(
    'VARIANT_MISSING',
    `${known} lies in the reproducer and ${edited} was edited: either could be meant`,
    `name one with --variant (${known}, or build/variant.hsaco after recompile), or remove the other; \`--variant none\` takes the captured code`,
  );
}

/** Whether reproducer.py compiled it from the current sources. */
function isOfTheseSources({ root, config }: Reproducer, known: string): boolean {
  const facts = scriptsOf(config.language).length > 0 ? candidateBeside(resolve(root, known)) : undefined;
  const sources = Object.entries(facts?.sources ?? {});
  return sources.length > 0 && sources.every(([name, digest]) => isStill(join(root, name), digest));
}

const isStill = (path: string, digest: string): boolean => existsSync(path) && sha256OfFile(path) === digest;

function namedVariant(reproducer: Reproducer, variant: string): Code {
  const path = resolve(reproducer.root, variant);
  if (!existsSync(path) || !statSync(path).isFile()) throw noSuchVariant(reproducer, variant, path);
  const built = join(reproducer.root, 'build', 'variant.json');
  if (existsSync(built) && resolve(reproducer.root, 'build', readVariantJson(reproducer).code_object) === path)
    return builtVariant(reproducer);
  const inside = relative(reproducer.root, path);
  const sha256 = sha256OfFile(path);
  return {
    ...{ kind: 'variant', path, shown: inside.startsWith('..') ? path : inside, sha256 },
    launch: scriptsOf(reproducer.config.language).length > 0 ? launchBeside(path, sha256) : undefined,
    configuration: reproducer.config.configuration,
  };
}

function noSuchVariant({ root }: Reproducer, variant: string, path: string): KernloopError {
  const here = resolve(variant);
  const isHere = here !== path && existsSync(here);
  return new KernloopError(
    'VARIANT_MISSING',
    existsSync(path) ? `${path} is no file` : `${path} does not exist`,
    `--variant is relative to the reproducer${isHere ? `; did you mean ${relative(root, here)}?` : ''}; \`kernloop recompile\` makes build/variant.*, \`--variant none\` takes the captured code`,
  );
}

function builtVariant(reproducer: Reproducer): Code {
  const folder = join(reproducer.root, 'build');
  const built = readVariantJson(reproducer);
  const path = resolveInside(folder, built.code_object, 'build/variant.json: code_object');
  if (!existsSync(path)) {
    throw new KernloopError(
      'VARIANT_MISSING',
      `${path} does not exist: the last \`kernloop recompile\` failed, or the file was removed since`,
      `${recompileHint}; \`--variant none\` takes the captured code`,
    );
  }
  const actual = sha256OfFile(path);
  if (actual !== built.code_object_sha256) {
    throw new KernloopError('VARIANT_STALE', `${path} is not what build/variant.json says was built`, recompileHint);
  }
  const changed = changedInput(reproducer, built);
  if (changed !== null) {
    throw new KernloopError(
      'VARIANT_STALE',
      `${changed} was changed after ${relative(reproducer.root, path)} was built`,
      isAbsolute(changed) ? `${recompileHint}; a copy of it beside ${kernelFile} is judged as it is` : recompileHint,
    );
  }
  const { launch, configuration, own_macros: ownMacros } = built;
  if (!isDeepStrictEqual(configuration, reproducer.config.configuration)) {
    throw new KernloopError(
      'VARIANT_STALE',
      `the configuration of ${kernelFile} was changed after ${relative(reproducer.root, path)} was built`,
      recompileHint,
    );
  }
  const isPlaceDependent = built.place_dependent === true;
  const shown = relative(reproducer.root, path);
  return { kind: 'variant', path, shown, sha256: actual, launch, configuration, ownMacros, isPlaceDependent };
}

/** Launch that reproducer.py wrote beside this code object; undefined if it belongs to another. */
function launchBeside(path: string, sha256: string): VariantLaunch | undefined {
  const facts = candidateBeside(path);
  return facts?.code_object_sha256 === sha256 ? launchOf(facts) : undefined;
}

function candidateBeside(path: string): Candidate | undefined {
  const file = path.replace(/\.[^./]+$/, '.json');
  if (file === path || !existsSync(file)) return undefined;
  return readJson(file, candidateSchema, 'VARIANT_MISSING', `remove it, or write ${path} again with reproducer.py`);
}

export function readVariantJson({ root, files }: Pick<Reproducer, 'root' | 'files'>): VariantJson {
  return readJson(reproducerPaths(root).variantJson, variantJsonSchema, 'VARIANT_MISSING', recompileHint, files);
}

/** First file that the user may edit and that differs from its pristine copy. */
export function editedFile({ root, config }: Reproducer): string | undefined {
  const pristine = join(root, 'pristine');
  const candidates = [
    ...(config.source ? [config.source.variant] : []),
    ...scriptsOf(config.language),
    ...filesBelow(pristine, 'deps'),
  ];
  const edited = candidates.find((name) => {
    const [mine, original] = [join(root, name), join(pristine, name)];
    return existsSync(mine) && existsSync(original) && !readRegularFile(mine).equals(readRegularFile(original));
  });
  return edited ?? (config.configuration === undefined ? undefined : kernelFile);
}

function filesBelow(root: string, folder: string): string[] {
  const absolute = join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
