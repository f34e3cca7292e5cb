import { basename, resolve } from 'node:path';
import type { CaptureJson } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { readingConditions } from '../reproducer/reads-json';
import type { KernelCandidate } from '../source/find-kernel';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { silentReporter } from '../support/report';
import { version } from '../support/version';
import { compilerVersion, type Compiler } from '../toolchain/find-compiler';
import { isCaptured, type Recipe, type UnprovenRecipe } from '../toolchain/recipe';
import { describeCode } from '../toolchain/described-code';
import { cudaTarget } from '../toolchain/gencode';
import { toolchainIdentity } from '../toolchain/identity';
import { capturedModuleId } from '../toolchain/module-id';
import { isOfTheSystem, SystemFolders } from '../toolchain/system-folders';
import { isRelocatable, parseNvccArguments } from '../toolchain/nvcc-arguments';
import { isNvcc } from '../toolchain/translation-unit';
import { unitIdLike } from '../toolchain/unit-id';
import { signatureOf, type Captured } from './captured';
import { makeRecipe, type RecipeSource } from './make-recipe';
import { inWorkspace, writeSources } from './pristine';
import { manyKernels, oneKernelUnit, removeOneKernelUnit, textOfUnit, writeOneKernelUnit } from './one-kernel';
import { prove, type Proof } from './prove';
import type { PristineRequest, WrittenSource } from './request';
import { resetFolder } from './scratch';
import { SourceTree } from './source-tree';

export interface FoundSource extends WrittenSource {
  candidate: KernelCandidate;
}

export async function tryCandidate(
  candidate: KernelCandidate,
  captured: Captured,
  request: PristineRequest,
  deps: Deps,
): Promise<FoundSource> {
  const { app, capture, kernel, folder } = request;
  const { unit, kernelFile, target } = candidate;
  const tree = new SourceTree({
    source: resolve(app.root, app.config.source),
    workspaceRoot: app.workspaceRoot,
    files: candidate.files,
    system: new SystemFolders([candidate.compiler], deps.env),
    includeDirs: unit.args
      .filter(({ kind }) => kind === 'include')
      .map(({ value }) => resolve(unit.directory, value ?? '')),
  });
  const compiler = { path: candidate.compiler, version: await compilerVersion(candidate.compiler, deps) };
  const environment = app.config.env;
  const described = captured.code === null ? null : await describeCode(captured.code, deps);
  const unproven = makeRecipe({
    ...{ unit, tree, kernelFile, target, environment, ...cudaDetails(candidate, capture) },
    unitId: unit.language === 'hip' && described !== null ? unitIdLike(described) : null,
    compilerVersion: compiler.version,
    symbol: capture.kernel.symbol,
    signature: signatureOf(capture),
  });
  resetFolder(folder);
  const files = writeSources(folder, tree, unproven, app.workspaceRoot);
  const whole = await prove(unproven, compiler, captured, request, deps);
  const tried = await proveOneKernel(unproven, whole, compiler, captured, request, deps);
  const one = tried === null || 'not' in tried ? null : tried;
  const { codeObject, outside, sources } = one?.proof ?? whole;
  const strays = outside.filter((path) => !tree.isSystem(path));
  if (strays.length > 0) {
    throw new KernloopError(
      'PATH_OUTSIDE',
      `the reproducer of ${kernel.name} would still open ${strays.slice(0, 3).join(', ')}`,
      'include it by a relative path or through an include directory: an absolute path cannot move with the reproducer',
    );
  }
  return {
    candidate,
    recipe: {
      ...(one?.recipe ?? wholeUnit(unproven, whole, tried !== null && 'not' in tried ? tried.not : null)),
      files: { ...files, ...one?.files },
      code_object: codeObject,
    },
    definition: candidate.definition,
    file: inWorkspace(app.workspaceRoot, kernelFile),
    translationUnit: inWorkspace(app.workspaceRoot, unit.file),
    reads: readsOf(sources, outside, deps),
  };
}

interface OneKernel {
  recipe: UnprovenRecipe;
  files: Recipe['files'];
  proof: Proof;
}

/** A way to compile only the captured kernel with the same instructions, or the reason why there is none. */
type Attempt = OneKernel | { not: string };

/** Notes that all kernels are compiled, because that slows down every edit. */
function wholeUnit(recipe: UnprovenRecipe, { kernels }: Proof, why: string | null): UnprovenRecipe {
  if (why === null) return recipe;
  const note = `all ${kernels} kernels of ${recipe.main} are compiled: ${why}`;
  return { ...recipe, notes: [...recipe.notes, note] };
}

/**
 * Tries to compile only the captured kernel of a unit of many, with the same instructions, which makes every edit
 * faster. Null if there is nothing to gain; if it fails, the folder is restored.
 */
async function proveOneKernel(
  whole: UnprovenRecipe,
  proof: Proof,
  compiler: Compiler,
  captured: Captured,
  request: PristineRequest,
  deps: Deps,
): Promise<Attempt | null> {
  const { folder, capture } = request;
  if (proof.kernels < manyKernels || !isCaptured(proof.codeObject)) return null;
  const noted = (how: string): string[] => [
    ...whole.notes,
    `of the ${proof.kernels} kernels of ${whole.main}, the captured one alone is ${how}`,
  ];
  const attempt = async (recipe: UnprovenRecipe, files: Recipe['files']): Promise<Attempt> => {
    try {
      // Hides compiler output of an attempt, because a failure is no error for the user.
      const alone = await prove(recipe, compiler, captured, request, { ...deps, report: silentReporter });
      if (alone.whole !== undefined) return { not: alone.whole };
      if (alone.lost !== null) return { not: `compiled alone, it would have no variable ${alone.lost}` };
      if (isCaptured(alone.codeObject)) return { recipe, files, proof: alone };
    } catch (error) {
      if (!(error instanceof KernloopError) || !attemptFailures.includes(error.code)) throw error;
    }
    return { not: 'the captured one alone could not be shown to keep its instructions' };
  };
  const unit = oneKernelUnit(whole, textOfUnit(folder, whole.main), capture.kernel.name);
  if (unit !== null) {
    const files = writeOneKernelUnit(folder, unit, whole.main);
    const compiled = await attempt({ ...whole, main: unit.main, notes: noted('compiled') }, files);
    if (!('not' in compiled)) return compiled;
    removeOneKernelUnit(folder, unit);
  }
  const how = oneEntry(whole);
  return how === null
    ? { not: 'this compiler has no way to compile one of them alone' }
    : attempt({ ...whole, one_entry: true, notes: noted(how) }, {});
}

/** How the compiler treats one kernel of a unit alone; null if it cannot. */
function oneEntry({ compiler, language, arguments: args }: UnprovenRecipe): string | null {
  // Relocatable code is always assembled with the code that it is linked with.
  if (isNvcc(compiler.name)) return isRelocatable(parseNvccArguments(args).args) ? null : 'assembled';
  return language === 'hip' ? 'optimised' : null;
}

const attemptFailures: readonly string[] = ['COMPILE_FAILED', 'SYMBOL_MISSING', 'RDC_UNSUPPORTED'];

/** Committed record of files read. Null if a toolchain is in a private folder, whose paths must stay out. */
function readsOf(
  sources: Readonly<Record<string, string>>,
  outside: readonly string[],
  deps: Deps,
): WrittenSource['reads'] {
  if (!outside.every(isOfTheSystem)) return null;
  return {
    schema: 'kernloop.reads/1',
    version,
    conditions_sha256: readingConditions(toolchainIdentity(deps.env)),
    sources: { ...sources },
    system: Object.fromEntries(outside.map((path) => [path, sha256OfFile(path)])),
  };
}

/** Arguments for nvcc besides the app's options. */
function cudaDetails({ unit, target }: KernelCandidate, capture: CaptureJson): Pick<RecipeSource, 'cuda' | 'notes'> {
  if (!isNvcc(unit.compiler)) return {};
  const { virtual, note } = cudaTarget(target, unit.args);
  const variables = capture.module_variables.map(({ name }) => name);
  const moduleId = capturedModuleId(capture.kernel.symbol, variables, basename(unit.file));
  return { cuda: { virtualTarget: virtual, moduleId }, notes: note === null || !unit.fromDatabase ? [] : [note] };
}
