import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseMakeDependencies } from '../source/make-dependencies';
import type { Deps } from '../support/deps';
import { KernloopError, nearest } from '../support/error';
import { throwIfInterrupted } from '../support/interrupt';
import { sha256OfFile, writeJson } from '../support/files';
import { codeObjectKernels, type ArgumentPlace, type CodeObjectKernel } from './code-object-kernels';
import { compilerEnvironment, type Compiler } from './find-compiler';
import { renderOverlay, type Overlay } from './overlay';
import type { UnprovenRecipe } from './make-recipe';
import { depsPlaceholder } from './recipe';

export interface CompileRequest {
  /** Absolute: the folder with kernel_variant.* and deps/. */
  reproducer: string;
  recipe: UnprovenRecipe;
  overlay: Overlay;
  compiler: Compiler;
  /** Absolute; written by rename. */
  output: string;
  /** Where the captured dispatch has its arguments; null to take any. */
  signature: readonly ArgumentPlace[] | null;
  limitSeconds: number;
}

export interface CompileResult {
  codeObjectSha256: string;
  /** Every file of the reproducer that was opened, with its digest. */
  sources: Record<string, string>;
  /** Files elsewhere that are no system headers: they do not travel with the reproducer. */
  outside: string[];
}

type CompileDeps = Pick<Deps, 'run' | 'report' | 'signal'>;

/** Compiles the one kernel of a reproducer through its overlay. The output appears only when the kernel is in it. */
export async function compileReproducer(request: CompileRequest, deps: CompileDeps): Promise<CompileResult> {
  const partial = `${request.output}.partial-${process.pid}`;
  const overlayPath = `${partial}.overlay.json`;
  const dependencyPath = `${partial}.d`;
  try {
    writeJson(overlayPath, renderOverlay(request.overlay, request.reproducer));
    await runCompiler(request, compileArguments(request, { output: partial, overlayPath, dependencyPath }), deps);
    checkKernel(partial, request);
    const result = {
      codeObjectSha256: sha256OfFile(partial),
      ...openedFiles(dependencyPath, request),
    };
    renameSync(partial, request.output);
    return result;
  } finally {
    for (const path of [partial, overlayPath, dependencyPath]) rmSync(path, { force: true });
  }
}

interface Paths {
  output: string;
  overlayPath: string;
  dependencyPath: string;
}

export function compileArguments(
  { recipe, reproducer }: CompileRequest,
  { output, overlayPath, dependencyPath }: Paths,
): string[] {
  const folder = join(reproducer, 'deps');
  return [
    ...recipe.arguments.map((arg) => arg.split(depsPlaceholder).join(folder)),
    `--offload-arch=${recipe.target}`,
    ...['--cuda-device-only', '--no-gpu-bundle-output', '-c'],
    // A header that a user puts beside kernel_variant.* is found; the project's own come first.
    ...['-iquote', reproducer],
    // __FILE__ and debug information then do not depend on where the reproducer lies.
    `-ffile-prefix-map=${reproducer}=.`,
    ...['-ivfsoverlay', overlayPath],
    ...['-MD', '-MF', dependencyPath, '-MT', 'variant'],
    ...['-o', output, join(folder, recipe.main)],
  ];
}

async function runCompiler(request: CompileRequest, args: string[], deps: CompileDeps): Promise<void> {
  const { compiler, recipe, reproducer, limitSeconds } = request;
  const running = deps.run(compiler.path, args, {
    cwd: reproducer,
    env: { ...recipe.environment, ...compilerEnvironment() },
    timeoutMs: limitSeconds * 1000,
    onStdout: (chunk) => deps.report.output(chunk),
    onStderr: (chunk) => deps.report.output(chunk),
  });
  const ended = await running.result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  const errors = ended.stderrTail.split('\n').filter((line) => line.includes('error:'));
  const reason = ended.timedOut
    ? `it ran longer than ${limitSeconds} s`
    : (errors[0] ??
      ended.startError ??
      `${compiler.path} ended with ${ended.exitCode ?? ended.signal ?? 'no exit code'}`);
  throw new KernloopError(
    'COMPILE_FAILED',
    `${recipe.variant.file} did not compile: ${reason}`,
    `correct it; the captured source is in pristine/${recipe.variant.file}`,
  );
}

function checkKernel(path: string, { recipe, signature }: CompileRequest): void {
  const kernels = codeObjectKernels(readFileSync(path));
  if (kernels === null) {
    throw new KernloopError(
      'COMPILE_FAILED',
      'the compiler wrote no code object that could be loaded',
      'check the compiler and the recipe',
    );
  }
  const kernel = kernels.find(({ symbol }) => symbol === recipe.symbol);
  if (!kernel) throw symbolMissing(recipe.symbol, kernels);
  if (signature !== null && kernel.args !== null && !isDeepStrictEqual(kernel.args, signature)) {
    throw new KernloopError(
      'SYMBOL_MISSING',
      `${recipe.symbol} takes ${describePlaces(kernel.args)}, but the captured dispatch passed ${describePlaces(signature)}`,
      'keep the parameters of the captured kernel: a replay passes it the very bytes that the app passed',
    );
  }
}

function symbolMissing(symbol: string, kernels: readonly CodeObjectKernel[]): KernloopError {
  const names = kernels.map((kernel) => kernel.symbol);
  const close = nearest(symbol, names);
  const shown = names.length === 0 ? ['none'] : close.length > 0 ? close : names.slice(0, 3);
  return new KernloopError(
    'SYMBOL_MISSING',
    `the compiled code has no kernel ${symbol}; it has ${shown.join(', ')}`,
    'keep the name, the namespace, the template arguments and the parameter types of the captured kernel',
  );
}

function describePlaces(places: readonly ArgumentPlace[]): string {
  if (places.length === 0) return 'no arguments';
  return places.map(({ offset, size }) => `${size} ${size === 1 ? 'byte' : 'bytes'} at ${offset}`).join(', ');
}

function openedFiles(
  dependencyPath: string,
  { reproducer }: CompileRequest,
): Pick<CompileResult, 'sources' | 'outside'> {
  const sources: Record<string, string> = {};
  const outside: string[] = [];
  const paths = existsSync(dependencyPath) ? parseMakeDependencies(readFileSync(dependencyPath, 'utf8')) : [];
  for (const path of paths.map((spelled) => resolve(reproducer, spelled)).sort()) {
    const inside = relative(reproducer, path);
    if (!inside.startsWith('..') && !isAbsolute(inside)) sources[inside] = sha256OfFile(path);
    else outside.push(path);
  }
  return { sources, outside };
}
