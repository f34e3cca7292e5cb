import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseMakeDependencies } from './make-dependencies';
import { asKernloopError, KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import type { CompileRequest } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import { dialectOf } from './dialects';
import { renderOverlay } from './overlay';
import { depsPlaceholder, rdcNote } from './recipe';
import { runCompiler, type CompileDeps } from './run-compiler';

/** Compiles through the overlay, which clang and hipcc support; returns every file that was opened. */
export async function compileWithClang(request: CompileRequest, output: string, deps: CompileDeps): Promise<string[]> {
  if (request.preamble === undefined && request.steps === undefined) return compileAll(request, output, deps);
  const said: string[] = [];
  const report = { ...deps.report, output: (chunk: string) => void said.push(chunk) };
  try {
    const opened = await compileAll(request, output, { ...deps, report });
    for (const chunk of said) deps.report.output(chunk);
    return opened;
  } catch (error) {
    const isMendable = error instanceof KernloopError && error.code === 'COMPILE_FAILED' && !isTooLong(error);
    if (!isMendable) throw error;
    if (request.preamble === undefined && request.steps?.isUsed !== true) {
      for (const chunk of said) deps.report.output(chunk);
      throw error;
    }
    // Errors are those of a compilation of all of it.
    return compileAll({ ...request, preamble: undefined, steps: undefined }, output, deps);
  }
}

const isTooLong = ({ what }: KernloopError): boolean => /: it ran longer than [\d.]+ s$/.test(what);

function compileAll(request: CompileRequest, output: string, deps: CompileDeps): Promise<string[]> {
  return throughOverlay(request, output, async (args) => {
    const isCompiled = await request.steps?.compile(request, args, deps, stepOf(request, deps));
    if (isCompiled !== true) await runClang(request, request.compiler.path, args, deps);
    return openedFiles(request, output);
  });
}

/** Runs programs that the driver would start. */
const stepOf =
  (request: CompileRequest, deps: CompileDeps) =>
  (program: string, args: readonly string[], limitSeconds: number): Promise<void> =>
    runClang({ ...request, limitSeconds }, program, args, deps, { isDriver: false });

/** Whether a request that was compiled by known steps gives the same code under other names; false if that is not known. */
export async function isSameElsewhere(
  request: CompileRequest,
  elsewhere: NonNullable<CompileRequest['elsewhere']>,
  deps: CompileDeps,
): Promise<boolean> {
  const { steps, reproducer, recipe } = request;
  if (steps === undefined) return false;
  let isSame = false;
  const quiet = { ...deps, report: { ...deps.report, output: () => undefined } };
  try {
    // The overlay is that of the compilation before.
    await throughOverlay(request, partialOf(request.output), async () => {
      const words = elsewhereArguments(reproducer, recipe.variant.file, elsewhere);
      isSame = await steps.isSameObject(words, request, stepOf(request, quiet));
      return [];
    });
  } catch (error) {
    // A compilation of all of it says why.
    if (asKernloopError(error).code !== 'COMPILE_FAILED') throw error;
  }
  return isSame;
}

/** Writes the preprocessed source, with its directives. */
export async function preprocessWithClang(
  request: CompileRequest,
  output: string,
  more: readonly string[],
  deps: CompileDeps,
): Promise<void> {
  await throughOverlay(request, output, async (args) => {
    const words = args.filter((word) => word !== '-c' && word !== '-S');
    await runClang(request, request.compiler.path, ['-E', '-dD', '-dI', ...more, ...words], deps);
    return [];
  });
}

/** Calls `compile` with arguments of clang's driver and an overlay in place. */
export async function throughOverlay(
  request: CompileRequest,
  output: string,
  compile: (driverArguments: readonly string[]) => Promise<string[]>,
): Promise<string[]> {
  const { overlayPath, dependencyPath } = pathsOf(output);
  try {
    writeJson(overlayPath, renderOverlay(request.overlay, request.reproducer));
    return await compile(compileArguments(request, output));
  } finally {
    for (const path of [overlayPath, dependencyPath]) rmSync(path, { force: true });
  }
}

/** Files that a compilation reported as opened. */
export function openedFiles({ compiler, reproducer, preamble }: CompileRequest, output: string): string[] {
  const { dependencyPath } = pathsOf(output);
  if (!existsSync(dependencyPath)) throw toldNothing(compiler.path);
  const spelled = parseMakeDependencies(readFileSync(dependencyPath, 'utf8'));
  const own = [preamble?.file, preamble?.header];
  return spelled.map((path) => resolve(reproducer, path)).filter((path) => !own.includes(path));
}

/** Runs the driver, or a program that it would start. */
export function runClang(
  { recipe, reproducer, limitSeconds, output }: CompileRequest,
  program: string,
  args: readonly string[],
  deps: CompileDeps,
  { isDriver = true } = {},
): Promise<void> {
  return runCompiler(
    {
      ...{ program, args, isDriver, cwd: reproducer, limitSeconds, outputFolder: dirname(output) },
      env: compilerEnvironment(recipe.environment),
      variantFile: recipe.variant.file,
      isLinked: recipe.notes.some((note) => note.startsWith(rdcNote)),
    },
    deps,
  );
}

/** The error for a missing report of files read, without which it is unknown when the code is out of date. */
function toldNothing(compiler: string): KernloopError {
  return new KernloopError(
    'COMPILE_FAILED',
    `${compiler} did not say which files it read`,
    'name another compiler with KERNLOOP_COMPILER; clang 15 to 22 and the hipcc of those are known to say it',
  );
}

const pathsOf = (output: string): { overlayPath: string; dependencyPath: string } => ({
  overlayPath: `${output}.overlay.json`,
  dependencyPath: `${output}.d`,
});

/** Appended after the usual map: newer versions of clang use the last match, older ones the longest. */
function elsewhereArguments(
  reproducer: string,
  file: string,
  { deps, variant }: NonNullable<CompileRequest['elsewhere']>,
): string[] {
  return [
    `-fmacro-prefix-map=${join(reproducer, 'deps')}=${deps}`,
    `-fmacro-prefix-map=${join(reproducer, file)}=${variant}`,
    '-Wno-builtin-macro-redefined',
    ...['-D__DATE__="Feb  3 2001"', '-D__TIME__="04:56:07"', '-D__TIMESTAMP__="Sat Feb  3 04:56:07 2001"'],
  ];
}

function compileArguments({ recipe, reproducer, elsewhere, preamble }: CompileRequest, output: string): string[] {
  const { overlayPath, dependencyPath } = pathsOf(output);
  const folder = join(reproducer, 'deps');
  return [
    ...recipe.arguments.map((arg) => arg.split(depsPlaceholder).join(folder)),
    `--offload-arch=${recipe.target}`,
    '--cuda-device-only',
    ...(dialectOf(recipe.language)?.clangOptions ?? []),
    ...(recipe.arguments.includes('-S') ? [] : ['-c']),
    // Finds headers that a user puts beside kernel_variant.*; the project's own come first.
    ...['-iquote', reproducer],
    // Makes __FILE__ and debug information independent of the reproducer's path.
    `-ffile-prefix-map=${reproducer}=.`,
    ...(elsewhere === undefined ? [] : elsewhereArguments(reproducer, recipe.variant.file, elsewhere)),
    ...(preamble === undefined ? [] : ['-Xclang', '-include-pch', '-Xclang', preamble.file]),
    ...['-ivfsoverlay', overlayPath],
    // Passes -MD to the frontend, because the driver of clang 22 drops it when it compiles for the device alone.
    ...['-dependency-file', dependencyPath, '-MT', 'variant', '-sys-header-deps'].flatMap((word) => ['-Xclang', word]),
    ...['-o', output, join(folder, recipe.main)],
  ];
}
