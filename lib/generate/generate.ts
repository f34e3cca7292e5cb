import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { openApp, type App } from '../app/app';
import type { KernelEntry } from '../app/kernloop-json';
import { readCapture, type CaptureJson } from '../archive/capture-files';
import { readCapturedCode } from '../archive/captured-code';
import { requireOwnPlace } from '../capture/owner';
import { readNvrtcJson, type NvrtcJson } from '../archive/nvrtc-json';
import { explicitSlots } from '../reproducer/kernel-args';
import { reproducerPaths } from '../reproducer/layout';
import { SourceTree } from './source-tree';
import { SystemFolders } from '../toolchain/system-folders';
import { parseDemangledName } from '../source/demangled-name';
import { kernelCandidates, type KernelCandidate, type KernelQuery } from '../source/find-kernel';
import { findKernelDefinitions, type KernelDefinition } from '../source/kernel-definitions';
import { bestDefinition } from '../source/match-definition';
import { explainNoSource, triton, type NoSourceQuery } from '../source/no-source';
import type { NoSource } from '../source/no-source-json';
import { SearchTrail } from '../source/search-trail';
import { isNvcc, type DeviceLanguage } from '../toolchain/translation-unit';
import type { Deps } from '../deps/deps';
import { KernloopError, systemCode } from '../support/error';
import { codeObjectTarget } from '../toolchain/code-object-kernels';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import { debugSourceFiles } from '../toolchain/debug-line';
import { warnOfVariablesSetAside } from '../toolchain/compiler-environment';
import { compilerVersion, type Compiler } from '../toolchain/find-compiler';
import { findNvrtc, nvrtcCompiler } from '../toolchain/find-nvrtc';
import { cudaTarget } from '../toolchain/gencode';
import { isSameMachineCode } from '../toolchain/machine-code';
import { makeRecipe, type RecipeSource } from './make-recipe';
import type { UnprovenRecipe } from '../toolchain/recipe';
import { capturedModuleId } from '../toolchain/module-id';
import { overlayTemplate } from '../toolchain/overlay';
import type { Recipe } from '../toolchain/recipe';
import { refuseForeignFiles } from './foreign-files';
import { writeNvrtcProgram } from './nvrtc-program';
import type { GenerateOptions } from './options';
import { inWorkspace, writeProjectFiles, writeSources } from './pristine';
import type { GenerateResult } from './result';
import { isInside, sha256OfFile } from '../support/files';
import { readingConditions, type ReadsJson } from '../reproducer/reads-json';
import { toolchainIdentity } from '../toolchain/identity';

/** Candidates that compile to the kernel but to another code object than the captured one, tried before settling for the first. */
const maxCompiles = 8;

/** Writes `pristine/`: the kernel's source as a project of its own, proven by compiling it there. */
export async function generate(options: GenerateOptions, deps: Deps): Promise<GenerateResult> {
  const app = openApp(options.app);
  warnOfVariablesSetAside(deps);
  const kernel = app.kernel(options.kernel);
  requireOwnPlace(app, kernel.name);
  const captureFolder = app.capture(kernel.name);
  const { pristine } = reproducerPaths(app.reproducer(kernel.name));
  const folder = `${pristine}.partial-${process.pid}`;
  refuseForeignFiles(pristine);
  removeLeftovers(dirname(pristine));
  try {
    const request = { ...options, app, kernel, captureFolder, capture: readCapture(captureFolder), folder };
    const result = await buildPristine(request, deps);
    // Compiling takes a while.
    refuseForeignFiles(pristine);
    rmSync(pristine, { recursive: true, force: true });
    renameSync(folder, pristine);
    return { ...result, pristine };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What there is to compare with. */
interface Captured {
  /** Null where it could not be read: then only its digest is known. */
  code: Buffer | null;
  /** Why not; null where it could. */
  unreadable: string | null;
  isa: string;
}

export interface PristineRequest {
  app: App;
  kernel: KernelEntry;
  capture: CaptureJson;
  captureFolder: string;
  /** Absolute; emptied first. */
  folder: string;
  translationUnit?: string | undefined;
  define?: readonly string[] | undefined;
  /** What the kernel is taken for. */
  language?: DeviceLanguage | 'triton' | undefined;
  compileLimitSeconds: number;
}

/** The same into any folder. */
export async function buildPristine(request: PristineRequest, deps: Deps): Promise<Omit<GenerateResult, 'pristine'>> {
  const { kernel, folder } = request;
  const { found, noSource } = await sourceOf(request, deps);
  if (found === null) resetFolder(folder);
  const files = writeProjectFiles({ ...request, found, noSource });
  const result = {
    kernel: kernel.name,
    language: found?.recipe.language ?? ('none' as const),
    source: found && found.file,
    files,
    identical: found && isIdentical(found),
    sameMachineCode: found && isSameCode(found),
    notes: found?.recipe.notes ?? [],
    noSource,
  };
  describe(result, deps);
  return result;
}

/** Sources that lie in the scratch folder and compile to the captured kernel. */
export interface WrittenSource {
  recipe: Recipe;
  definition: KernelDefinition | null;
  /** The file that defines the kernel and the one that is compiled, as the user knows them. */
  file: string;
  translationUnit: string;
  /** What the compiler read for it; null where that is not all that decides. */
  reads: Omit<ReadsJson, 'recipe_sha256'> | null;
}

interface FoundSource extends WrittenSource {
  candidate: KernelCandidate;
}

/** The program that the app passed to NVRTC, which the capture has. */
async function nvrtcSource(program: NvrtcJson, request: PristineRequest, deps: Deps): Promise<WrittenSource> {
  const { capture, folder } = request;
  const captured = await readCaptured(request, deps);
  const compiler = await findNvrtc({ name: nvrtcCompiler, version: program.version.join('.') }, deps);
  resetFolder(folder);
  const { unproven, files, source } = writeNvrtcProgram(program, {
    ...{ folder, compilerVersion: compiler.version, target: captured.isa, symbol: capture.kernel.symbol },
    signature: signatureOf(capture),
  });
  const { codeObject } = await prove(unproven, compiler, captured, request, deps);
  const recipe = { ...unproven, files, code_object: codeObject };
  const definition = bestDefinition(findKernelDefinitions(source), parseDemangledName(capture.kernel.name));
  const origin = files[unproven.variant.file]?.origin ?? '';
  // NVRTC does not tell which files of its include folders it read.
  const found = { recipe, definition, file: origin, translationUnit: origin, reads: null };
  if (!isSameCode(found)) {
    deps.report.warn(
      `recompiling what the app passed to NVRTC gives ${capture.kernel.name}, but not the captured code object`,
    );
  }
  return found;
}

type SourceOrReason = { found: WrittenSource; noSource: null } | { found: null; noSource: NoSource };

/** The program that was recorded at run time goes before a search, unless the user says where to look. */
async function sourceOf(request: PristineRequest, deps: Deps): Promise<SourceOrReason> {
  const isToSearch = request.translationUnit !== undefined || (request.language ?? 'cuda') !== 'cuda';
  const program = isToSearch ? null : readNvrtcJson(request.captureFolder);
  if (program === null) return findSource(request, deps);
  return { found: await nvrtcSource(program, request, deps), noSource: null };
}

/** The source, or why there is none. */
async function findSource(request: PristineRequest, deps: Deps): Promise<SourceOrReason> {
  const captured = await readCaptured(request, deps);
  const query = noSourceQuery(request, captured, deps);
  refuseOtherLanguage(request);
  const noSource = request.language === undefined ? triton(query) : null;
  if (noSource !== null) return { found: null, noSource };
  if (request.language === 'triton') return { found: null, noSource: taken(query) };
  const found = await searchSource(request, captured, query.trail, deps);
  return found ? { found, noSource: null } : { found: null, noSource: explainNoSource(query) };
}

/** The candidate that compiles to the captured code object; else the first that compiles to the kernel; null if none does. */
async function searchSource(
  request: PristineRequest,
  captured: Captured,
  trail: SearchTrail,
  deps: Deps,
): Promise<FoundSource | null> {
  const { app, capture, kernel } = request;
  const accepted: FoundSource[] = [];
  const failures: KernloopError[] = [];
  let last: KernelCandidate | undefined;
  for await (const candidate of kernelCandidates(queryOf(request, captured, trail, deps), deps)) {
    last = candidate;
    try {
      const found = await tryCandidate(candidate, captured, request, deps);
      accepted.push(found);
      if (isIdentical(found)) return found;
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      if (error.code === 'COMPILE_FAILED' || error.code === 'RDC_UNSUPPORTED') failures.push(error);
      else if (error.code !== 'SYMBOL_MISSING') throw error;
      trail.tried.push(relative(app.root, candidate.unit.file));
    }
    if (accepted.length + failures.length >= maxCompiles) break;
  }
  const same = accepted.find(isSameCode);
  const first = same ?? accepted[0];
  if (first) {
    if (!same) refuseAmbiguous(accepted, app, capture);
    if (!same) warnAboutDifference(accepted, app, capture, deps);
    // The folder holds what was tried last.
    return first.candidate === last ? first : tryCandidate(first.candidate, captured, request, deps);
  }
  const [failure] = failures;
  if (failure?.code === 'RDC_UNSUPPORTED') throw failure;
  if (failure) {
    throw new KernloopError(
      failure.code,
      `the source of ${kernel.name} was found, but does not compile outside the app: ${failure.what}`,
      'the output of the compiler is above; check that the compile database is there and that of the captured build; --define adds a macro that it lacks',
      { cause: failure },
    );
  }
  return null;
}

/** AMD's code says its target in the capture, and is the same wherever it is compiled: there it only tells where it came from. */
async function readCaptured({ capture, captureFolder }: PristineRequest, deps: Deps): Promise<Captured> {
  const { isa } = capture.device;
  const code = await readCapturedCode(captureFolder, deps);
  if (languageOf(capture) === 'hip') {
    return typeof code === 'string' ? { code: null, unreadable: code, isa } : { code, unreadable: null, isa };
  }
  if (typeof code !== 'string') return { code, unreadable: null, isa: codeObjectTarget(code) ?? isa };
  deps.report.warn(
    `the captured code could not be read (${code}): it is taken to be for ${isa}, and compared by its digest`,
  );
  return { code: null, unreadable: code, isa };
}

function noSourceQuery({ app, capture }: PristineRequest, captured: Captured, deps: Deps): NoSourceQuery {
  const system = new SystemFolders([], deps.env);
  return {
    symbol: capture.kernel.symbol,
    demangled: capture.kernel.name,
    codeObject: capture.kernel.code_object,
    debugFiles: captured.code === null ? [] : debugSourceFiles(captured.code),
    unreadable: captured.unreadable,
    environment: { ...deps.env, ...app.config.env },
    own: [resolve(app.root, app.config.source), app.root, app.workspaceRoot],
    isSystem: (path) => system.contain(path),
    trail: new SearchTrail(),
  };
}

function taken(query: NoSourceQuery): NoSource {
  return (
    triton(query) ?? {
      code: 'SOURCE_TRITON',
      reason: `${query.symbol} is taken for a Triton kernel, as --language says`,
      hint: 'edit its Python source in the app and capture again',
      files: [],
    }
  );
}

/** What a GPU runs tells which of the two compiles for it. */
function refuseOtherLanguage({ capture, language, kernel }: PristineRequest): void {
  if (language === undefined || language === 'triton' || language === languageOf(capture)) return;
  throw new KernloopError(
    'USAGE',
    `${kernel.name} was captured as code for ${capture.device.isa}, which is not compiled from ${language === 'hip' ? 'HIP' : 'CUDA'} here`,
    `leave --language out, or say ${languageOf(capture)}`,
  );
}

function queryOf(
  { app, capture, translationUnit, define = [] }: PristineRequest,
  { isa }: Captured,
  trail: SearchTrail,
  deps: Deps,
): KernelQuery {
  const own = [app.root, app.workspaceRoot].map((folder) => realpathSync(folder));
  const { source, compileCommands, env } = app.config;
  return {
    name: capture.kernel.name,
    language: languageOf(capture),
    isa,
    source: resolve(app.root, source),
    compileCommands: compileCommands === undefined ? undefined : resolve(app.root, compileCommands),
    translationUnit: translationUnit === undefined ? undefined : resolve(app.root, translationUnit),
    environment: env,
    define,
    trail,
    isProjectFile: (real, compiler) =>
      own.some((folder) => isInside(folder, real)) || !new SystemFolders([compiler], deps.env).contain(real),
  };
}

async function tryCandidate(
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
  const unproven = makeRecipe({
    ...{ unit, tree, kernelFile, target, environment, ...cudaDetails(candidate, capture) },
    compilerVersion: compiler.version,
    symbol: capture.kernel.symbol,
    signature: signatureOf(capture),
  });
  resetFolder(folder);
  const files = writeSources(folder, tree, unproven, app.workspaceRoot);
  const { codeObject, outside, sources } = await prove(unproven, compiler, captured, request, deps);
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
    recipe: { ...unproven, files, code_object: codeObject },
    definition: candidate.definition,
    file: inWorkspace(app.workspaceRoot, kernelFile),
    translationUnit: inWorkspace(app.workspaceRoot, unit.file),
    reads: {
      schema: 'kernloop.reads/1',
      conditions_sha256: readingConditions(toolchainIdentity(deps.env)),
      sources,
      system: Object.fromEntries(outside.map((path) => [path, sha256OfFile(path)])),
    },
  };
}

/** Compiles what lies in the scratch folder, and compares it with the captured code. */
async function prove(
  recipe: UnprovenRecipe,
  compiler: Compiler,
  captured: Captured,
  { capture, folder, compileLimitSeconds }: PristineRequest,
  deps: Deps,
): Promise<{ codeObject: Recipe['code_object'] } & Pick<CompileResult, 'sources' | 'outside'>> {
  const proof = join(folder, 'proof.bin');
  const { codeObjectSha256, sources, outside } = await compileReproducer(
    {
      reproducer: folder,
      recipe,
      overlay: overlayTemplate(recipe),
      compiler,
      output: proof,
      // An edit of the signature since the capture is for the user to see when recompiling.
      signature: null,
      limitSeconds: compileLimitSeconds,
    },
    deps,
  );
  const isSame =
    codeObjectSha256 !== capture.kernel.code_object &&
    captured.code !== null &&
    languageOf(capture) === 'cuda' &&
    isSameMachineCode(capture.kernel.symbol, readFileSync(proof), captured.code);
  rmSync(proof);
  const codeObject = {
    captured: capture.kernel.code_object,
    recompiled: codeObjectSha256,
    ...(isSame ? { same_machine_code: true as const } : {}),
  };
  return { codeObject, sources, outside };
}

function languageOf({ device }: CaptureJson): DeviceLanguage {
  return device.kind === 'cuda' ? 'cuda' : 'hip';
}

/** What nvcc is told beside the options of the app. */
function cudaDetails({ unit, target }: KernelCandidate, capture: CaptureJson): Pick<RecipeSource, 'cuda' | 'notes'> {
  if (!isNvcc(unit.compiler)) return {};
  const { virtual, note } = cudaTarget(target, unit.args);
  const variables = capture.module_variables.map(({ name }) => name);
  const moduleId = capturedModuleId(capture.kernel.symbol, variables, basename(unit.file));
  return { cuda: { virtualTarget: virtual, moduleId }, notes: note === null || !unit.fromDatabase ? [] : [note] };
}

function signatureOf(capture: CaptureJson): Recipe['signature'] {
  const places = explicitSlots(capture).map(({ offset, size }) => ({ offset, size }));
  return places.length === 0 ? null : places;
}

function isIdentical({ recipe }: WrittenSource): boolean {
  return recipe.code_object.recompiled === recipe.code_object.captured;
}

function isSameCode(found: WrittenSource): boolean {
  return isIdentical(found) || found.recipe.code_object.same_machine_code === true;
}

/** One header in several units is one source; several files that all give the kernel are for the user to choose from. */
function refuseAmbiguous(accepted: readonly FoundSource[], app: App, capture: CaptureJson): void {
  const files = new Set(accepted.map(({ candidate }) => candidate.kernelFile));
  if (files.size < 2) return;
  const choices = accepted.map(({ candidate: { unit, kernelFile, definition } }) => {
    const place = `${relative(app.root, kernelFile)}${definition ? `:${definition.line}` : ''}`;
    const main = relative(app.root, unit.file);
    return unit.file === kernelFile ? place : `${place} in ${main}`;
  });
  const [first] = accepted;
  throw new KernloopError(
    'SOURCE_AMBIGUOUS',
    `${capture.kernel.name} is defined by ${choices.join(', ')}, and none compiles to the captured code object`,
    `choose the unit with --translation-unit, such as --translation-unit ${first ? relative(app.root, first.candidate.unit.file) : ''}; with the sources and the compiler of the capture the code itself would tell`,
  );
}

function warnAboutDifference(accepted: readonly FoundSource[], app: App, capture: CaptureJson, deps: Deps): void {
  const units = accepted.map(({ candidate }) => relative(app.root, candidate.unit.file));
  deps.report.warn(
    `recompiling ${units[0] ?? ''} gives ${capture.kernel.name}, but not the captured code object: ` +
      'another compiler or other options than those of the captured build, or an edit since',
  );
  if (units.length > 1) {
    deps.report.warn(`it is also in ${units.slice(1).join(', ')}; choose one with --translation-unit`);
  }
}

function describe(result: Omit<GenerateResult, 'pristine'>, deps: Deps): void {
  if (result.noSource !== null) {
    deps.report.warn(
      `${result.noSource.code}: ${result.noSource.reason}: the reproducer of ${result.kernel} has no source, ` +
        `so the captured code can be replayed and validated, but not recompiled. What to do: ${result.noSource.hint}`,
    );
    return;
  }
  for (const note of result.notes) deps.report.info(`note: ${note}`);
  const verdict = result.identical
    ? 'recompiles to the captured code object, byte for byte'
    : result.sameMachineCode
      ? 'recompiles to the captured kernel, with the same machine code'
      : 'compiles to a kernel of that name, but not to the captured code';
  deps.report.result(`${result.kernel}: ${result.source ?? ''} and ${result.files.length} files in all; ${verdict}`);
}

/** What a killed run could not remove itself. */
function removeLeftovers(reproducer: string): void {
  if (!existsSync(reproducer)) return;
  for (const name of readdirSync(reproducer)) {
    const pid = name.startsWith('pristine.partial-') ? Number(name.slice('pristine.partial-'.length)) : NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(reproducer, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function resetFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
