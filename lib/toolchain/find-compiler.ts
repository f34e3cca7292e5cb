import { isAbsolute, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { isExecutable, pathFolders, programsIn } from '../support/programs';
import { compilerEnvironment } from './compiler-environment';
import { HipccAnswer } from './hipcc-answer';
import type { Environment } from '../support/environment';
import { debianPackages } from './program-packages';

export interface Compiler {
  path: string;
  version: string;
}

export interface WantedCompiler {
  /** Base name such as `hipcc`, `clang++-15`. */
  name: string;
  /** `--version` output when the recipe was made; null to accept any. */
  version: string | null;
}

/** Extracts a function and what it needs from an LLVM module; installed beside its clang. */
export const extractor = 'llvm-extract';

type CompilerDeps = Pick<Deps, 'run' | 'env' | 'report' | 'signal'>;

/** Finds a compiler by name, preferring the exact version, and warns if it must use another. */
export async function findCompiler(wanted: WantedCompiler, deps: CompilerDeps): Promise<Compiler> {
  const found: Compiler[] = [];
  for (const path of compilerCandidates(wanted.name, deps.env)) {
    const version = await compilerVersion(path, deps);
    if (wanted.version === null || version === wanted.version) return { path, version };
    found.push({ path, version });
  }
  const [first] = found;
  if (!first) throw compilerMissing(wanted.name, deps.env);
  deps.report.warn(
    `the recipe was made with ${wanted.name} (${wanted.version ?? ''}); compiling with ${first.path} (${first.version}): the code may differ`,
  );
  return first;
}

/** Existing executables with this name, best first, without starting any; only KERNLOOP_COMPILER if that is set. */
export function compilerCandidates(name: string, env: Environment): string[] {
  const named = env['KERNLOOP_COMPILER'];
  if (named) return [named].filter(isExecutable);
  return programsIn([...pathFolders(env['PATH']), ...toolchainFolders(name, env)].filter(isAbsolute), name);
}

/** Folders of compilers outside the PATH; `clang++-15` is `llvm-15/bin/clang++` in Debian. */
function toolchainFolders(name: string, env: Environment): string[] {
  if (name.startsWith('nvcc') || name === 'compute-sanitizer') return cudaFolders(env);
  const major = name.startsWith('clang') && name.includes('-') ? name.slice(name.lastIndexOf('-') + 1) : null;
  const rocm = [env['ROCM_PATH'], env['HIP_PATH'], '/opt/rocm'].filter((folder) => folder !== undefined);
  return [
    ...(major === null ? [] : [`/usr/lib/llvm-${major}/bin`]),
    ...rocm.flatMap((folder) => [join(folder, 'bin'), join(folder, 'llvm', 'bin')]),
    '/usr/bin',
    '/usr/local/bin',
  ];
}

/** Folders outside the PATH where NVIDIA and distributions install CUDA programs. */
export function cudaFolders(env: Environment): string[] {
  const named = [env['CUDA_HOME'], env['CUDA_PATH'], env['CUDAToolkit_ROOT']].filter((folder) => folder !== undefined);
  return [...named, '/usr/local/cuda', '/opt/cuda', '/usr'].map((folder) => join(folder, 'bin'));
}

/** Without a target, hipcc first searches the machine for GPUs, even to print its version. */
const someTarget = { HCC_AMDGPU_TARGET: 'gfx90a' };

/** Lines of `--version` that contain a version: hipcc prints one for HIP and one for its clang. */
export async function compilerVersion(path: string, deps: Pick<Deps, 'run' | 'signal' | 'env'>): Promise<string> {
  const env = { ...compilerEnvironment(), ...someTarget };
  const answer = new HipccAnswer({ hipcc: path, args: ['--version'], env }, deps.env);
  const known = answer.known()?.[0];
  if (known !== undefined) return known;
  const version = await askVersion(path, env, deps);
  answer.remember([version]);
  return version;
}

async function askVersion(path: string, env: Environment, deps: Pick<Deps, 'run' | 'signal'>): Promise<string> {
  const result = await deps.run(path, ['--version'], { env, timeoutMs: 60_000 }).result;
  throwIfInterrupted(deps.signal);
  if (result.exitCode !== 0) {
    throw new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      `${path} --version failed (${result.startError ?? `exit code ${result.exitCode}`}): ${result.stderrTail.trim()}`,
      'repair the installation of the compiler, or name another with KERNLOOP_COMPILER',
    );
  }
  return (
    result.stdoutTail
      .split('\n')
      .map((line) => line.trim())
      // nvcc prints `Cuda compilation tools, release 13.0, V13.0.88`.
      .filter((line) => line.includes(' version') || line.includes('release '))
      .join('; ')
  );
}

/** Returns null with a warning if it is not installed: nvcc then uses its default, whose headers may differ. */
export function findHostCompiler(name: string, deps: Pick<Deps, 'env' | 'report'>): string | null {
  const folders = [...pathFolders(deps.env['PATH']), '/usr/bin', '/usr/local/bin'].filter(isAbsolute);
  const [found] = programsIn(folders, name);
  if (found === undefined)
    deps.report.warn(`the host compiler ${name} is not installed; nvcc takes its default, and the code may differ`);
  return found ?? null;
}

function compilerMissing(name: string, env: Environment): KernloopError {
  const named = env['KERNLOOP_COMPILER'];
  if (named) {
    return new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      `KERNLOOP_COMPILER is ${named}, which is no executable file`,
      'name an executable file with it, or unset it',
    );
  }
  if (name.startsWith('nvcc')) {
    return new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      'nvcc of the CUDA toolkit is not installed',
      'install the CUDA toolkit (Debian: sudo apt-get install nvidia-cuda-toolkit), set CUDA_HOME, or name an nvcc with KERNLOOP_COMPILER',
    );
  }
  return new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    `the compiler ${name} is not installed`,
    `sudo apt-get install ${[...new Set([...debianPackages(name), 'libamdhip64-dev'])].join(' ')}, or name a compiler with KERNLOOP_COMPILER`,
  );
}
