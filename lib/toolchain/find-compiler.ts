import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Deps, Environment } from '../support/deps';
import { KernloopError } from '../support/error';

export interface Compiler {
  path: string;
  version: string;
}

export interface WantedCompiler {
  /** Base name: `hipcc`, `clang++-15`. */
  name: string;
  /** What `--version` said where the recipe was made; null to take any. */
  version: string | null;
}

type CompilerDeps = Pick<Deps, 'run' | 'env' | 'report'>;

/** Finds a compiler by name, preferring the very version that is wanted, and says so when it has to take another. */
export async function findCompiler(wanted: WantedCompiler, deps: CompilerDeps): Promise<Compiler> {
  const found: Compiler[] = [];
  for (const path of compilerCandidates(wanted.name, deps.env)) {
    const version = await compilerVersion(path, deps);
    if (wanted.version === null || version === wanted.version) return { path, version };
    found.push({ path, version });
  }
  const [first] = found;
  if (!first) throw compilerMissing(wanted.name);
  deps.report.warn(
    `the recipe was made with ${wanted.name} (${wanted.version ?? ''}); compiling with ${first.path} (${first.version}): the code may differ`,
  );
  return first;
}

/** Existing executables that go by the name, best first, without starting any; only KERNLOOP_COMPILER where that is set. */
export function compilerCandidates(name: string, env: Environment): string[] {
  const named = env['KERNLOOP_COMPILER'];
  if (named) return [named].filter(isExecutable);
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...toolchainFolders(name, env)];
  const paths = folders.filter(isAbsolute).map((folder) => join(folder, name));
  return [...new Set(paths)].filter(isExecutable);
}

/** Where distributions and AMD install compilers beside the PATH; `clang++-15` is `llvm-15/bin/clang++` in Debian. */
function toolchainFolders(name: string, env: Environment): string[] {
  const major = name.startsWith('clang') && name.includes('-') ? name.slice(name.lastIndexOf('-') + 1) : null;
  const rocm = [env['ROCM_PATH'], env['HIP_PATH'], '/opt/rocm'].filter((folder) => folder !== undefined);
  return [
    ...(major === null ? [] : [`/usr/lib/llvm-${major}/bin`]),
    ...rocm.flatMap((folder) => [join(folder, 'bin'), join(folder, 'llvm', 'bin')]),
    '/usr/bin',
    '/usr/local/bin',
  ];
}

/** The lines of `--version` that name a version: hipcc prints one for HIP and one for its clang. */
export async function compilerVersion(path: string, deps: Pick<Deps, 'run'>): Promise<string> {
  const result = await deps.run(path, ['--version'], { env: compilerEnvironment(), timeoutMs: 60_000 }).result;
  if (result.exitCode !== 0) {
    throw new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      `${path} --version failed (${result.startError ?? `exit code ${result.exitCode}`}): ${result.stderrTail.trim()}`,
      'repair the installation of the compiler, or name another with KERNLOOP_COMPILER',
    );
  }
  return result.stdoutTail
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.includes(' version'))
    .join('; ');
}

/** hipcc takes whatever platform it finds first; where an nvcc is on the PATH it would compile for NVIDIA. */
export function compilerEnvironment(): Record<string, string> {
  return { HIP_PLATFORM: 'amd' };
}

function compilerMissing(name: string): KernloopError {
  return new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    `the compiler ${name} is not installed`,
    `sudo apt-get install ${debianPackages(name).join(' ')}, or name a compiler with KERNLOOP_COMPILER`,
  );
}

function debianPackages(name: string): string[] {
  if (name.startsWith('clang')) return [name.replace('++', ''), 'libamdhip64-dev'];
  return ['hipcc', 'libamdhip64-dev'];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
