import { readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isNvcc } from './translation-unit';
import { KernloopError, nearest } from '../support/error';
import { sha256OfFile } from '../support/files';
import { partialOf } from '../support/leftovers';
import { requireWritable } from '../support/unwritable';
import { requireBounded } from './bounded-files';
import { compileWithClang } from './compile-clang';
import { compileOneWithClang } from './compile-one-clang';
import { compileThroughPtx } from './compile-ptx';
import { compileWithNvcc } from './compile-nvcc';
import { compileWithNvrtc } from './compile-nvrtc';
import { compileWithTriton } from './compile-triton';
import type { CompileRequest } from './compile-request';
import { describeCode, explicitArguments, type Described } from './described-code';
import type { ArgumentPlace } from './kernel-signature';
import type { UnprovenRecipe } from './recipe';
import type { CompileDeps } from './run-compiler';
import type { VariantLaunch } from './variant-launch';

export interface CompileResult {
  codeObjectSha256: string;
  /** Every opened file of the reproducer, with its digest. */
  sources: Record<string, string>;
  /** Absolute paths of opened files elsewhere, which do not travel with the reproducer. */
  outside: string[];
  /** Launch, if the source decides it. */
  launch?: VariantLaunch;
  /** Absolute paths of files that identify the compiler, if it is no program. */
  system?: string[];
  /** Reason why all kernels of the unit were compiled, if the recipe asks for the captured one alone. */
  whole?: string;
}

/** Files that a compiler read, absolute, and for Triton the launch. */
interface Compilation {
  opened: string[];
  system?: string[];
  launch?: VariantLaunch;
  whole?: string;
}

/** Compiles the kernel of a reproducer. The output appears only if it contains the kernel. */
export async function compileReproducer(request: CompileRequest, deps: CompileDeps): Promise<CompileResult> {
  requireWritable(dirname(request.output));
  const partial = partialOf(request.output);
  try {
    const { opened, launch, system, whole } = await runCompilation(request, partial, deps);
    requireBounded([partial], 'the code object has');
    requireBounded([...new Set([...opened, ...(system ?? [])])], 'the files that it was compiled from have');
    await checkKernel(partial, request, deps);
    const result = {
      codeObjectSha256: sha256OfFile(partial),
      ...openedFiles(opened, request),
      ...(launch === undefined ? {} : { launch }),
      ...(system === undefined ? {} : { system }),
      ...(whole === undefined ? {} : { whole }),
    };
    renameSync(partial, request.output);
    return result;
  } finally {
    rmSync(partial, { force: true });
  }
}

async function runCompilation(request: CompileRequest, output: string, deps: CompileDeps): Promise<Compilation> {
  // Triton's code always has line tables.
  if (request.recipe.triton !== undefined) return compileWithTriton(request, output, deps);
  if (request.assembly !== undefined)
    return { opened: await compileThroughPtx(withLineInfo(request), request.assembly, output, deps) };
  const compileWith = compilationOf(request.recipe);
  const asked = request.lineInfo ? withLineInfo(request) : request;
  if (compileWith === compileWithClang && request.recipe.one_entry === true) return compileAlone(asked, output, deps);
  const compile = (): Promise<string[]> => compileWith(asked, output, deps);
  const shared = compileWith === compileWithClang ? request.units : undefined;
  return { opened: await (shared === undefined ? compile() : shared.compile(asked, output, compile)) };
}

async function compileAlone(request: CompileRequest, output: string, deps: CompileDeps): Promise<Compilation> {
  const { main, variant } = request.recipe;
  const alone = await compileOneWithClang(request, output, deps);
  if ('opened' in alone) return alone;
  deps.report.warn(`${variant.file}: all kernels of ${main} are compiled, which takes longer: ${alone.whole}`);
  return { opened: await compileWithClang(request, output, deps), whole: alone.whole };
}

/** Adds line tables, which change no instruction; full debug information changes the code with some compilers. */
function withLineInfo(request: CompileRequest): CompileRequest {
  const { recipe } = request;
  const isClang = compilationOf(recipe) === compileWithClang;
  const given = recipe.arguments.some((argument) =>
    (isClang ? /^-g(?!0|pu)/ : /^--?(lineinfo|generate-line-info|G)$/).test(argument),
  );
  if (given) return request;
  const option = isClang ? '-gline-tables-only' : '-lineinfo';
  return { ...request, recipe: { ...recipe, arguments: [...recipe.arguments, option] } };
}

function compilationOf({ compiler, nvrtc }: UnprovenRecipe): typeof compileWithNvcc {
  if (nvrtc !== undefined) return compileWithNvrtc;
  return isNvcc(compiler.name) ? compileWithNvcc : compileWithClang;
}

/** Whether the compiler is hipcc or clang++, also for CUDA. */
export function isCompiledWithClang(recipe: UnprovenRecipe): boolean {
  return recipe.triton === undefined && compilationOf(recipe) === compileWithClang;
}

async function checkKernel(path: string, { recipe, signature }: CompileRequest, deps: CompileDeps): Promise<void> {
  const described = await describeCode(readFileSync(path), deps);
  if (described === null) {
    throw new KernloopError(
      'COMPILE_FAILED',
      'the compiler wrote no code object that could be loaded',
      'compare your compiler with the one that pristine/recipe.json names',
    );
  }
  const kernel = described.kernels.find(({ symbol }) => symbol === recipe.symbol);
  if (!kernel) throw symbolMissing(recipe.symbol, described);
  const places = explicitArguments(kernel);
  if (signature !== null && !isDeepStrictEqual(places, signature)) {
    throw new KernloopError(
      'SYMBOL_MISSING',
      `${recipe.symbol} takes ${describePlaces(places)}, but the captured dispatch passed ${describePlaces(signature)}`,
      'keep the parameters of the captured kernel: a replay passes it the very bytes that the app passed',
    );
  }
}

function symbolMissing(symbol: string, { kernels }: Described): KernloopError {
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
  paths: readonly string[],
  { reproducer }: CompileRequest,
): Pick<CompileResult, 'sources' | 'outside'> {
  const sources: Record<string, string> = {};
  const outside: string[] = [];
  for (const path of [...new Set(paths)].sort()) {
    const inside = relative(reproducer, path);
    if (!inside.startsWith('..') && !isAbsolute(inside)) sources[inside] = sha256OfFile(path);
    else outside.push(path);
  }
  return { sources, outside };
}
