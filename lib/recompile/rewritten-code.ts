import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readCapturedCode } from '../archive/captured-code';
import { readTritonJson } from '../archive/triton-json';
import type { Deps } from '../deps/deps';
import type { ReplaySession } from '../replay/session';
import type { Code } from '../reproducer/reproducer';
import type { CompileRequest } from '../toolchain/compile-request';
import { cuda } from '../language/cuda';
import { languages } from '../language/languages';
import { reproducerPaths } from '../reproducer/layout';
import { KernloopError } from '../support/error';
import { assemblePtx, quotedLine } from '../toolchain/assemble-ptx';
import { compileReproducer } from '../toolchain/compile';
import { codeObjectTarget, cubinPtx } from '../toolchain/described-code';
import { kernelResources } from '../toolchain/kernel-resources';
import { isNvcc } from '../toolchain/translation-unit';
import { compilerOf, readRecipe } from './recompile';
import { readRegularFile } from '../support/regular-file';

/** A rewritten kernel: the rewriter's result and the code assembled from it. */
export interface RewrittenCode<Rewritten> {
  readonly rewritten: Rewritten;
  readonly cubin: Buffer;
  readonly symbol: string;
  /** PTX before the rewrite. */
  readonly original: string;
  /** Origin of the PTX, and how it was assembled. */
  readonly log: string;
  readonly registers: { readonly before: number; readonly after: number } | null;
}

/** `blockThreads`: limit registers to those available to blocks of this many threads. */
type Rewriter<Rewritten> = (ptx: string, kernel: string, blockThreads: number | null) => Rewritten;

export interface Rewriting<Rewritten> {
  readonly rewrite: Rewriter<Rewritten>;
  /** Threads of a launched block. */
  readonly threads: number;
  /** Adds source lines to PTX that is compiled from the sources. */
  readonly lineInfo?: boolean;
}

const limitSeconds = 600;

/**
 * Rewrites the PTX of the code that a session replays and assembles it. The PTX is the one kept in the code object, or
 * the one that nvcc makes from the sources that the code is proven to come from: machine code cannot be turned back
 * into PTX. PTX that `recompile` kept is used instead if it assembles to exactly this code, which takes a fifth of the
 * time.
 */
export async function rewrittenCode<Rewritten extends { readonly ptx: string }>(
  session: ReplaySession,
  { rewrite: rewriter, threads, lineInfo = false }: Rewriting<Rewritten>,
  deps: Deps,
): Promise<RewrittenCode<Rewritten>> {
  const { code, request, capture, reproducer } = session;
  const symbol = request.symbol ?? capture.kernel.symbol;
  const bytes = code.kind === 'variant' ? readRegularFile(code.path) : await readCapturedCode(reproducer.capture, deps);
  if (typeof bytes === 'string') throw noPtx(session, `the captured code cannot be read: ${bytes}`);
  const make = async (blockThreads: number | null): Promise<Made<Rewritten>> => {
    const rewrite = (ptx: string): Rewritten => rewriter(ptx, symbol, blockThreads);
    return (
      (await throughNvcc(session, rewrite, lineInfo, deps)) ?? (await fromCodeObject(session, rewrite, bytes, deps))
    );
  };
  const unlimited = await make(null);
  const registersIn = async (cubin: Buffer): Promise<number | null> =>
    (await kernelResources(cubin, symbol, deps))?.vectorRegisters ?? null;
  const fits = registersOfBlock((await registersIn(unlimited.cubin)) ?? 0, threads) <= blockRegisters;
  const { rewritten, original, cubin, log } = fits ? unlimited : await make(threads);
  const [before, after] = [await registersIn(bytes), await registersIn(cubin)];
  return { rewritten, cubin, symbol, original, log, registers: before && after ? { before, after } : null };
}

/** Maximum number of registers of a block on every GPU that has `activemask`. */
const blockRegisters = 65536;

/** Registers of a warp are allocated in units of eight per lane. */
function registersOfBlock(registers: number, threads: number): number {
  return Math.ceil(registers / 8) * 8 * Math.ceil(threads / 32) * 32;
}

interface Made<Rewritten> {
  rewritten: Rewritten;
  original: string;
  cubin: Buffer;
  log: string;
}

type Rewrite<Rewritten> = (ptx: string) => Rewritten;

/** Null if nvcc did not make the code. If the sources of the code are known, its own options assemble the PTX. */
async function throughNvcc<Rewritten extends { readonly ptx: string }>(
  session: ReplaySession,
  rewrite: Rewrite<Rewritten>,
  lineInfo: boolean,
  deps: Deps,
): Promise<Made<Rewritten> | null> {
  const { reproducer, code } = session;
  const paths = reproducerPaths(reproducer.root);
  const isBuilt = code.kind === 'variant' && dirname(code.path) === paths.build && code.path === builtVariant(session);
  if (!keepsPtx(reproducer) || (code.kind === 'variant' && !isBuilt)) return null;
  const { recipe, overlay } = readRecipe(reproducer);
  if (recipe.nvrtc !== undefined || !isNvcc(recipe.compiler.name)) return null;
  const compiler = await compilerOf(recipe, reproducer, deps);
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-rewritten-'));
  const request = {
    // The captured code comes from the untouched sources.
    reproducer: code.kind === 'variant' ? reproducer.root : paths.pristine,
    ...{ recipe, overlay, compiler, signature: null, limitSeconds },
  };
  const kept = code.kind === 'variant' && !lineInfo ? readIfThere(paths.variantPtx) : undefined;
  let made: { rewritten: Rewritten; original: string } | undefined;
  const mapPtx = (ptx: string): string => {
    made = { original: ptx, rewritten: rewrite(ptx) };
    return made.rewritten.ptx;
  };
  try {
    const output = join(scratch, 'rewritten.cubin');
    const rewriteFrom = (origin: Pick<CompileRequest, 'keptPtx' | 'lineInfo'>): Promise<unknown> =>
      compileReproducer({ ...request, ...origin, output, mapPtx }, deps);
    const fromKept = async (): Promise<boolean> => {
      if (kept === undefined) return false;
      const proving = assemblesTo(code, { ...request, keptPtx: kept }, scratch, deps);
      const [proof, rewriting] = await Promise.allSettled([proving, rewriteFrom({ keptPtx: kept })]);
      if (proof.status === 'rejected') throw proof.reason;
      if (proof.value && rewriting.status === 'rejected') throw rewriting.reason;
      return proof.value;
    };
    if (!(await fromKept())) await rewriteFrom({ lineInfo });
    if (made === undefined) throw new Error('nvcc ended well without PTX');
    return { ...made, cubin: readFileSync(output), log: `PTX and cubin by ${compiler.path} (${compiler.version})\n` };
  } catch (error) {
    if (made !== undefined && error instanceof KernloopError && error.code === 'COMPILE_FAILED')
      throw new KernloopError(
        'COMPILE_FAILED',
        `ptxas does not take the rewritten kernel: ${error.what}${quotedLine(made.rewritten.ptx, error.what)}`,
        'correct the bodies of the probes; without any, report it',
      );
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Undefined if it cannot be read or is no file: then the PTX comes from the sources. */
function readIfThere(path: string): string | undefined {
  try {
    return readRegularFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether the code was made from this PTX: the file may have been changed since. */
async function assemblesTo(
  code: Code,
  request: Omit<CompileRequest, 'output'>,
  folder: string,
  deps: Deps,
): Promise<boolean> {
  const output = join(folder, 'as-it-was.cubin');
  try {
    await compileReproducer({ ...request, output }, deps);
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
    return false;
  }
  return code.kind === 'variant' && readFileSync(output).equals(readFileSync(code.path));
}

const keepsPtx = ({ config: { language } }: ReplaySession['reproducer']): boolean =>
  language !== 'none' && languages[language].keepsPtx;

function builtVariant({ reproducer }: ReplaySession): string {
  return reproducerPaths(reproducer.root).variant(cuda.name, reproducer.config.device.kind);
}

async function fromCodeObject<Rewritten extends { readonly ptx: string }>(
  session: ReplaySession,
  rewrite: Rewrite<Rewritten>,
  bytes: Buffer,
  deps: Deps,
): Promise<Made<Rewritten>> {
  const original = await cubinPtx(bytes, deps);
  if (original === null) throw noPtx(session, 'the code object keeps none (-lineinfo would have it keep it)');
  const target = await codeObjectTarget(bytes, deps);
  if (target === null) throw noPtx(session, 'the code object does not say what GPU it is for');
  const rewritten = rewrite(original);
  const python = pythonOf(session);
  const { cubin, ptxas, log } = await assemblePtx(rewritten.ptx, { target, python, limitSeconds }, deps);
  return { rewritten, original, cubin, log: `PTX out of the code object, assembled by ${ptxas}\n${log}` };
}

function pythonOf({ reproducer }: ReplaySession): string | null {
  try {
    return readTritonJson(reproducer.capture)?.compilation?.executable ?? null;
  } catch {
    return null;
  }
}

function noPtx({ reproducer, code }: ReplaySession, why: string): KernloopError {
  const { name, language } = reproducer.config;
  const source =
    language === 'none'
      ? 'it has no source here'
      : code.kind === 'variant' && languages[language].keepsPtx
        ? `${code.shown} is not what \`kernloop recompile\` built of its source`
        : 'what compiled it at run time (NVRTC, Triton) gave machine code';
  return new KernloopError(
    'PTX_UNAVAILABLE',
    `there is no PTX of ${name} to rewrite: ${why}, and ${source}`,
    language === 'none'
      ? 'build the app with -lineinfo, which keeps the PTX, and capture again'
      : 'build the app with -lineinfo, or recompile with --line-info',
  );
}
