import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { renderCompileArgument } from '../toolchain/compile-arguments';
import { compilerEnvironment, nvccEnvironment } from '../toolchain/compiler-environment';
import { cudaTarget } from '../toolchain/gencode';
import type { Deps } from '../deps/deps';
import { throwIfInterrupted } from '../support/interrupted';
import { parseMakeDependencies } from '../toolchain/make-dependencies';
import { requireOutput } from '../toolchain/run-compiler';
import { runDriver } from '../toolchain/run-driver';
import { isNvcc, type TranslationUnit } from '../toolchain/translation-unit';

/** A file that a compilation opens. */
export interface OpenedFile {
  /** Absolute path as the compiler reached it, links not followed. */
  spelled: string;
  /** Absolute path, links followed. */
  real: string;
  /** Folders that the path enters and leaves, `a/b` of `a/b/../x.h`, as spelled: they must exist. */
  through?: string[];
}

export interface Dependencies {
  files: OpenedFile[];
  /** Messages of a compiler that failed; `files` is then incomplete. */
  failure: string | null;
}

const scanLimitMs = 5 * 60_000;

/** Asks the compiler itself, with the app's own command, which files the device side of a unit opens. */
export async function scanDependencies(
  unit: TranslationUnit,
  compiler: string,
  target: string,
  environment: Readonly<Record<string, string>>,
  deps: Pick<Deps, 'run' | 'signal' | 'env'>,
): Promise<Dependencies> {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-deps-'));
  const output = join(scratch, 'unit.d');
  const nvcc = isNvcc(unit.compiler);
  const args = (nvcc ? nvccScan : clangScan)(unit, target, output);
  try {
    const env = { ...environment, ...(nvcc ? nvccEnvironment() : compilerEnvironment(environment)) };
    const ended = await runDriver(compiler, args, { cwd: unit.directory, env, timeoutMs: scanLimitMs }, deps);
    throwIfInterrupted(deps.signal);
    if (ended.exitCode !== 0) requireOutput(`${unit.file} was not read`, ended.stderrTail);
    if (ended.exitCode !== 0)
      return { files: [], failure: ended.stderrTail.trim() || (ended.startError ?? 'no output') };
    return {
      files: parseMakeDependencies(readFileSync(output, 'utf8')).map((path) => opened(path, unit.directory)),
      failure: null,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Passes -M to the frontend, because the driver of clang 22 drops it when it compiles for the device alone. */
function clangScan(unit: TranslationUnit, target: string, output: string): string[] {
  const asked = ['-dependency-file', output, '-MT', 'unit', '-sys-header-deps'].flatMap((word) => ['-Xclang', word]);
  return [
    ...[`--offload-arch=${target}`, '--cuda-device-only', '-E', '-o', '/dev/null', ...asked],
    ...[...keptArguments(unit), unit.file],
  ];
}

/** Runs only the device pass: nvcc's own -M adds files that only host code includes. */
function nvccScan(unit: TranslationUnit, target: string, output: string): string[] {
  const { real, virtual } = cudaTarget(target, unit.args);
  return [
    ...[
      `-gencode=arch=${virtual},code=${real}`,
      ...(unit.hostCompiler === null ? [] : [`-ccbin=${unit.hostCompiler}`]),
    ],
    ...[...keptArguments(unit), `-Xcompiler=-MD,-MF,"${output}",-MT,unit`, '-E', '-o', '/dev/null', unit.file],
  ];
}

function keptArguments(unit: TranslationUnit): string[] {
  return unit.args.filter(({ kind }) => kind !== 'drop' && kind !== 'arch').flatMap(renderCompileArgument);
}

function opened(path: string, directory: string): OpenedFile {
  // Joined by hand: `..` after a link must be resolved by the system, not textually.
  const raw = isAbsolute(path) ? path : `${directory}/${path}`;
  return { spelled: normalize(raw), real: realpathSync.native(raw), through: foldersLeft(raw) };
}

function foldersLeft(raw: string): string[] {
  const parts = raw.split('/');
  return parts.flatMap((part, index) => (part === '..' ? [normalize(parts.slice(0, index).join('/'))] : []));
}
