import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { openApp, type App } from '../app/app';
import type { KernelEntry } from '../app/kernloop-json';
import { readCapture, type CaptureJson } from '../capture/capture-files';
import { readCapturedCode } from '../capture/captured-code';
import type { KernelJson } from '../reproducer/kernel-json';
import { explicitSlots } from '../reproducer/kernel-args';
import { reproducerPaths } from '../reproducer/layout';
import { SourceTree } from '../reproducer/source-tree';
import { isInside, SystemFolders } from '../reproducer/system-folders';
import { kernelCandidates, type KernelCandidate, type KernelQuery } from '../source/find-kernel';
import { isNvcc, type DeviceLanguage } from '../source/translation-unit';
import type { Deps } from '../support/deps';
import { KernloopError, systemCode } from '../support/error';
import { codeObjectTarget } from '../toolchain/code-object-kernels';
import { compileReproducer } from '../toolchain/compile';
import { compilerVersion } from '../toolchain/find-compiler';
import { cudaTarget } from '../toolchain/gencode';
import { isSameMachineCode } from '../toolchain/machine-code';
import { makeRecipe, type RecipeSource } from '../toolchain/make-recipe';
import { capturedModuleId } from '../toolchain/module-id';
import { overlayTemplate } from '../toolchain/overlay';
import type { Recipe } from '../toolchain/recipe';
import type { GenerateOptions } from './options';
import { inWorkspace, writeProjectFiles, writeSources } from './pristine';

export interface GenerateResult {
  kernel: string;
  /** Absolute. */
  pristine: string;
  language: KernelJson['language'];
  /** The file that defines the kernel, relative to the workspace; null without source. */
  source: string | null;
  files: string[];
  /** Whether the untouched source compiles to the very code object that was captured; null without source. */
  identical: boolean | null;
  /** Whether the kernel is at least the same down to its instructions; always where it is identical, else only looked at for CUDA. */
  sameMachineCode: boolean | null;
  notes: string[];
}

/** Candidates that compile to the kernel but to another code object than the captured one, tried before settling for the first. */
const maxCompiles = 8;

/** Writes `pristine/`: the kernel's source as a project of its own, proven by compiling it there. */
export async function generate(options: GenerateOptions, deps: Deps): Promise<GenerateResult> {
  const app = openApp(options.app);
  const kernel = app.kernel(options.kernel);
  const captureFolder = app.capture(kernel.name);
  const { pristine } = reproducerPaths(app.reproducer(kernel.name));
  const folder = `${pristine}.partial-${process.pid}`;
  removeLeftovers(dirname(pristine));
  try {
    const request = { ...options, app, kernel, captureFolder, capture: readCapture(captureFolder), folder };
    const result = await buildPristine(request, deps);
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
  compileLimitSeconds: number;
}

/** The same into any folder. */
export async function buildPristine(request: PristineRequest, deps: Deps): Promise<Omit<GenerateResult, 'pristine'>> {
  const { app, kernel, capture, folder } = request;
  const found = await findSource(request, deps);
  if (found === null) resetFolder(folder);
  const files = writeProjectFiles({ ...request, found });
  const result = {
    kernel: kernel.name,
    language: found?.recipe.language ?? ('none' as const),
    source: found && inWorkspace(app.workspaceRoot, found.candidate.kernelFile),
    files,
    identical: found && isIdentical(found),
    sameMachineCode: found && isSameCode(found),
    notes: found?.recipe.notes ?? [],
  };
  describe(result, capture, deps);
  return result;
}

/** A candidate whose sources lie in the scratch folder and compile to the captured kernel. */
export interface FoundSource {
  candidate: KernelCandidate;
  recipe: Recipe;
}

/** The candidate that compiles to the captured code object; else the first that compiles to the kernel; null if none does. */
async function findSource(request: PristineRequest, deps: Deps): Promise<FoundSource | null> {
  const { app, capture, kernel } = request;
  const captured = await readCaptured(request, deps);
  const accepted: FoundSource[] = [];
  const failures: KernloopError[] = [];
  let last: KernelCandidate | undefined;
  for await (const candidate of kernelCandidates(queryOf(request, captured, deps), deps)) {
    last = candidate;
    try {
      const found = await tryCandidate(candidate, captured, request, deps);
      accepted.push(found);
      if (isIdentical(found)) return found;
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      if (error.code === 'COMPILE_FAILED' || error.code === 'RDC_UNSUPPORTED') failures.push(error);
      else if (error.code !== 'SYMBOL_MISSING') throw error;
    }
    if (accepted.length + failures.length >= maxCompiles) break;
  }
  const same = accepted.find(isSameCode);
  const first = same ?? accepted[0];
  if (first) {
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
      'the output of the compiler is above; check that the compile database is that of the captured build',
      { cause: failure },
    );
  }
  return null;
}

/** Only CUDA needs the code itself: AMD's says its target in the capture, and is the same wherever it is compiled. */
async function readCaptured({ capture, captureFolder }: PristineRequest, deps: Deps): Promise<Captured> {
  const { isa } = capture.device;
  if (languageOf(capture) === 'hip') return { code: null, isa };
  const code = await readCapturedCode(captureFolder, deps);
  if (typeof code !== 'string') return { code, isa: codeObjectTarget(code) ?? isa };
  deps.report.warn(
    `the captured code could not be read (${code}): it is taken to be for ${isa}, and compared by its digest`,
  );
  return { code: null, isa };
}

function queryOf({ app, capture, translationUnit }: PristineRequest, { isa }: Captured, deps: Deps): KernelQuery {
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
  const proof = join(folder, 'proof.bin');
  const { codeObjectSha256, outside } = await compileReproducer(
    {
      reproducer: folder,
      recipe: unproven,
      overlay: overlayTemplate(unproven),
      compiler,
      output: proof,
      // An edit of the signature since the capture is for the user to see when recompiling.
      signature: null,
      limitSeconds: request.compileLimitSeconds,
    },
    deps,
  );
  const isSame =
    codeObjectSha256 !== capture.kernel.code_object &&
    captured.code !== null &&
    isSameMachineCode(capture.kernel.symbol, readFileSync(proof), captured.code);
  rmSync(proof);
  const strays = outside.filter((path) => !tree.isSystem(path));
  if (strays.length > 0) {
    throw new KernloopError(
      'PATH_OUTSIDE',
      `the reproducer of ${kernel.name} would still open ${strays.slice(0, 3).join(', ')}`,
      'include it by a relative path or through an include directory: an absolute path cannot move with the reproducer',
    );
  }
  const recipe = {
    ...unproven,
    files,
    code_object: {
      captured: capture.kernel.code_object,
      recompiled: codeObjectSha256,
      ...(isSame ? { same_machine_code: true as const } : {}),
    },
  };
  return { candidate, recipe };
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

function isIdentical({ recipe }: FoundSource): boolean {
  return recipe.code_object.recompiled === recipe.code_object.captured;
}

function isSameCode(found: FoundSource): boolean {
  return isIdentical(found) || found.recipe.code_object.same_machine_code === true;
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

function describe(result: Omit<GenerateResult, 'pristine'>, capture: CaptureJson, deps: Deps): void {
  if (result.language === 'none') {
    deps.report.warn(
      `no translation unit of the app's build defines ${capture.kernel.name}: the reproducer has no source, ` +
        'so the captured code can be replayed and validated, but not recompiled',
    );
    return;
  }
  for (const note of result.notes) deps.report.info(`note: ${note}`);
  const verdict = result.identical
    ? 'recompiles to the captured code object, byte for byte'
    : `recompiles to the captured kernel${result.sameMachineCode ? ', with the same machine code' : ''}`;
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
