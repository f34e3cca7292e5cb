import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCapture } from '../archive/capture-files';
import { editedFile, openReproducer, type Reproducer } from '../reproducer/reproducer';
import { reproducerPaths } from '../reproducer/layout';
import { removeLeftovers } from '../reproducer/leftovers';
import { isNvcc } from '../toolchain/translation-unit';
import { SystemFolders } from '../toolchain/system-folders';
import type { Deps } from '../deps/deps';
import { takeLock } from '../deps/lock';
import { asKernloopError, KernloopError } from '../support/error';
import { sha256OfFile, writeJson } from '../support/files';
import { readJson } from '../support/schema';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import type { CompileRequest } from '../toolchain/compile-request';
import { warnOfVariablesSetAside } from '../toolchain/compiler-environment';
import { compileConditions, topNames } from './current-variant';
import { findCompiler, type Compiler } from '../toolchain/find-compiler';
import { findNvrtc } from '../toolchain/find-nvrtc';
import { findTriton } from '../toolchain/find-triton';
import { readTritonJson } from '../archive/triton-json';
import { reproducerLibrary, reproducerScript } from '../language/triton';
import { ownMacros, withMacros } from '../toolchain/macros';
import { macrosOf } from '../reproducer/configuration';
import type { RecompileOptions } from './options';
import { overlaySchema, overlayTemplate, type Overlay } from '../toolchain/overlay';
import { absentFiles } from '../toolchain/probed-names';
import { recipeSchema, type Recipe } from '../toolchain/recipe';
import { requireSameInApp } from './same-in-app';
import type { RecompileResult } from './result';
import { isLastBuild, keepUsersBuild } from './users-build';
import { outsideName, type VariantJson } from '../reproducer/variant-json';
import { refuseSpecialFiles } from '../support/regular-file';

/** Compiles the user's copy of a kernel: `kernel_variant.*` and `deps/` to `build/variant.hsaco` or `.cubin`. */
export function recompile(options: RecompileOptions, deps: Deps): Promise<RecompileResult> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  return whileNobodyBuilds(reproducer, deps, () =>
    compileVariant(reproducer, asJudged(options, reproducer) ?? options, deps),
  );
}

/**
 * An edit for the software GPU gets line information, which changes no instruction: a verdict names lines of it. An
 * edit that was undone does not, and gives the captured code. Null for other devices, which do not tell what each
 * instruction did.
 */
export function asJudged(options: RecompileOptions, reproducer: Reproducer): RecompileOptions | null {
  const { language, device } = reproducer.config;
  if (language !== 'hip' || device.kind !== 'softgpu') return null;
  return { ...options, lineInfo: options.lineInfo ?? editedFile(reproducer) !== undefined };
}

/**
 * Runs `work` while no other command builds in this folder: two at once could each take the other's code object for
 * one that the user has put there. A folder that cannot be locked, as on NFS, is used without: the digests in
 * variant.json never let one build pass for another.
 */
export async function whileNobodyBuilds<T>(
  { root, config, files }: Reproducer,
  deps: Deps,
  work: () => Promise<T>,
): Promise<T> {
  const taken = await takeLock(root, { name: config.name, use: 'another command builds' }, deps);
  // Another command may have built meanwhile.
  files.forget(reproducerPaths(root).variantJson);
  try {
    return await work();
  } finally {
    if ('release' in taken) await taken.release();
  }
}

/** The same for a caller of `whileNobodyBuilds`. */
export async function compileVariant(
  reproducer: Reproducer,
  options: RecompileOptions,
  deps: Deps,
): Promise<RecompileResult> {
  const paths = reproducerPaths(reproducer.root);
  removeLeftovers(reproducer.root);
  refuseSpecialFiles(reproducer.root, topNames(reproducer.root));
  const { recipe: captured, overlay } = readRecipe(reproducer);
  const { configuration } = reproducer.config;
  const macros = macrosOf(configuration);
  const recipe = withMacros(captured, macros);
  const own = ownMacros(captured, macros);
  warnOfVariablesSetAside(deps);
  const compiler = await compilerOf(recipe, reproducer, deps);
  const output = paths.variant(recipe.language, reproducer.config.device.kind);
  mkdirSync(paths.build, { recursive: true });
  const writesPtx = recipe.nvrtc === undefined && isNvcc(recipe.compiler.name);
  keepUsersBuild(reproducer, output, deps, { writesPtx });
  const conditions = compileConditions(reproducer, options, deps.env);
  const startMs = Date.now();
  const { compiled, isPlaceDependent } = await compileOrLeaveNothing(
    {
      reproducer: reproducer.root,
      recipe,
      overlay,
      compiler,
      output,
      signature: recipe.signature,
      limitSeconds: options.compileLimitSeconds,
      lineInfo: options.lineInfo ?? false,
      ...(writesPtx ? { keepPtx: paths.variantPtx } : {}),
    },
    startMs,
    deps,
  );
  const system = new SystemFolders([compiler.path], deps.env);
  const [ofSystem, outside] = partition(compiled.outside, (path) => system.contain(path));
  ofSystem.push(...(compiled.system ?? []));
  for (const path of outside) {
    deps.report.warn(`${path} lies outside the reproducer: it will be missing where the reproducer goes`);
  }
  const variant: VariantJson = {
    schema: 'kernloop.variant/1',
    code_object: basename(output),
    code_object_sha256: compiled.codeObjectSha256,
    ...(writesPtx ? { ptx_sha256: sha256OfFile(paths.variantPtx) } : {}),
    symbol: recipe.symbol,
    compiler: { name: recipe.compiler.name, version: compiler.version },
    target: recipe.target,
    recipe_sha256: reproducer.files.digestOf(paths.recipe),
    sources: compiled.sources,
    outside: Object.fromEntries(outside.map((path) => [outsideName(path, reproducer), sha256OfFile(path)])),
    system: Object.fromEntries(ofSystem.map((path) => [path, sha256OfFile(path)])),
    absent: absentFiles(
      [...Object.keys(compiled.sources).map((name) => join(reproducer.root, name)), ...outside],
      reproducer.root,
    ).map((path) => outsideName(path, reproducer)),
    ...(isPlaceDependent ? { place_dependent: true } : {}),
    ...(options.lineInfo === true ? { line_info: true } : {}),
    conditions_sha256: conditions,
    ...(compiled.launch === undefined ? {} : { launch: compiled.launch }),
    ...(configuration === undefined ? {} : { configuration }),
    ...(own.length === 0 ? {} : { own_macros: own }),
  };
  writeJson(paths.variantJson, variant);
  reproducer.files.forget(paths.variantJson);
  const result: RecompileResult = {
    kernel: reproducer.config.name,
    code_object: output,
    code_object_sha256: compiled.codeObjectSha256,
    unchanged: compiled.codeObjectSha256 === recipe.code_object.captured,
    sources: Object.keys(compiled.sources),
  };
  deps.report.result(
    `${result.kernel}: build/${variant.code_object} from ${recipe.variant.file}${besides(result.sources.length - 1)}` +
      describeCode(result, recipe, capturedNow(reproducer)),
  );
  return result;
}

/** Counts other files: a large app has hundreds; --json names them. */
function besides(others: number): string {
  if (others <= 0) return '';
  return others === 1 ? ' and one file of deps/' : ` and ${others} files of deps/`;
}

/**
 * A compilation that fails for its source leaves no code: it could be taken for the current source's, or for the user's,
 * because variant.json does not name it. One that was stopped, or could not write, leaves the last build.
 */
async function compileOrLeaveNothing(
  request: CompileRequest,
  startMs: number,
  deps: Deps,
): Promise<{ compiled: CompileResult; isPlaceDependent: boolean }> {
  try {
    const compiled = await compileReproducer(request, deps);
    refuseEdited(request, compiled, startMs);
    return { compiled, isPlaceDependent: await requireSameInApp(request, compiled, deps) };
  } catch (error) {
    const saysNothing = ['INTERRUPTED', 'FILE_UNWRITABLE'].includes(asKernloopError(error).code);
    if (!saysNothing || !isLastBuild(request.reproducer, request.output))
      for (const file of [request.output, request.keepPtx ?? []].flat()) rmSync(file, { force: true });
    throw error;
  }
}

/** Refuses a source edited during the compilation: it is unknown which text the compiler read. */
function refuseEdited({ reproducer }: CompileRequest, { sources, outside }: CompileResult, startMs: number): void {
  const read = [...Object.keys(sources).map((name) => join(reproducer, name)), ...outside];
  const endMs = Date.now();
  // ctime, which no tool sets. It is in the future if a clock was set back.
  const edited = read.find((path) => {
    const { ctimeMs } = statSync(path);
    return ctimeMs > startMs + 1 && ctimeMs <= endMs;
  });
  if (edited === undefined) return;
  throw new KernloopError('COMPILE_FAILED', `${edited} was changed while it was compiled`, 'run the command again');
}

export function compilerOf(recipe: Recipe, { capture }: Reproducer, deps: Deps): Promise<Compiler> {
  if (recipe.triton !== undefined) return findTriton(recipe.compiler, pythonOfApp(capture), deps);
  return recipe.nvrtc === undefined ? findCompiler(recipe.compiler, deps) : findNvrtc(recipe.compiler, deps);
}

/** Python interpreter of the app, if the capture is beside the reproducer and was made on this machine. */
function pythonOfApp(capture: string): string | null {
  try {
    return readTritonJson(capture)?.compilation?.executable ?? null;
  } catch {
    return null;
  }
}

function partition<T>(values: readonly T[], belongs: (value: T) => boolean): [T[], T[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))];
}

/** Code object of capture/, if it can be read: a reproducer works without. */
function capturedNow({ capture, files }: Reproducer): string | null {
  try {
    return readCapture(capture, files).kernel.code_object;
  } catch {
    return null;
  }
}

function describeCode(
  { unchanged, code_object_sha256: codeObjectSha256 }: RecompileResult,
  { code_object: proven }: Recipe,
  captured: string | null,
): string {
  if (captured !== null && captured !== proven.captured)
    return '; pristine/ was generated from another capture than the one in capture/: `kernloop extract` generates it again';
  if (unchanged) return '; it is the captured code, byte for byte';
  const isPristine = codeObjectSha256 === proven.recompiled;
  return isPristine && proven.same_machine_code ? '; it has the machine code of the captured kernel' : '';
}

export function readRecipe({ root, config, files }: Reproducer): { recipe: Recipe; overlay: Overlay } {
  const paths = reproducerPaths(root);
  if (config.language === 'none') {
    throw new KernloopError(
      'SOURCE_NOT_FOUND',
      `${config.name} has no source: ${config.demangled} is not defined in the sources of ${config.app.name}`,
      'replay and validate work with the captured code; name a code object of your own with --variant',
    );
  }
  const hint = `run \`kernloop generate --kernel ${config.name}\` in the app's folder, or bring pristine/ back from version control`;
  const recipe = readJson(paths.recipe, recipeSchema, 'SOURCE_NOT_FOUND', hint, files);
  const overlay = recipe.triton
    ? overlayTemplate(recipe)
    : readJson(paths.overlayTemplate, overlaySchema, 'SOURCE_NOT_FOUND', hint, files);
  const needed = recipe.triton ? [reproducerScript, reproducerLibrary] : [join('deps', recipe.main)];
  for (const path of [recipe.variant.file, ...needed]) {
    if (existsSync(join(root, path))) continue;
    throw new KernloopError(
      'SOURCE_NOT_FOUND',
      `${join(root, path)} is missing`,
      '`kernloop extract` copies it out of pristine/ again',
    );
  }
  return { recipe, overlay };
}
