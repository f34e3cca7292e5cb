import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { isExecutable } from '../support/programs';
import { compilerCandidates } from '../toolchain/find-compiler';

/** Parts of a CUDA toolkit that clang needs; nvcc is not needed. */
export interface CudaInstallation {
  /** Folder for `--cuda-path`. */
  readonly root: string;
  readonly ptxas: string;
  readonly libdevice: string;
}

export interface CudaParts {
  /** Folder with the fewest missing parts; null if no toolkit was found. */
  readonly root: string | null;
  /** Missing parts, named as a user would search for them. */
  readonly missing: readonly string[];
  readonly found: CudaInstallation | null;
}

/** Debian prepares `/usr/lib/cuda` for clang. */
const installed = ['/usr/local/cuda', '/opt/cuda', '/usr/lib/cuda'];

/** Finds the toolkit named by variables, nvcc's own, or one in a usual folder, without starting a process. */
export function cudaParts(env: Environment, usual: readonly string[] = installed): CudaParts {
  const named = ['CUDA_HOME', 'CUDA_PATH', 'CUDAToolkit_ROOT'].map((name) => env[name] ?? '').filter(isAbsolute);
  const ofNvcc = compilerCandidates('nvcc', { ...env, KERNLOOP_COMPILER: undefined }).map((nvcc) =>
    dirname(dirname(realpathSync(nvcc))),
  );
  const candidates = [...new Set([...named, ...ofNvcc, ...usual])].filter((root) => existsSync(root)).map(partsOf);
  const fewest = [...candidates].sort((a, b) => a.missing.length - b.missing.length)[0];
  return fewest ?? { root: null, missing: ['a CUDA toolkit'], found: null };
}

function partsOf(root: string): CudaParts {
  const [headers, libdevice, ptxas] = [
    join(root, 'include', 'cuda_runtime.h'),
    join(root, 'nvvm', 'libdevice', 'libdevice.10.bc'),
    join(root, 'bin', 'ptxas'),
  ] as const;
  const missing = [
    ...(existsSync(headers) ? [] : ['its headers (include/cuda_runtime.h)']),
    ...(existsSync(libdevice) ? [] : ['its device library (nvvm/libdevice/libdevice.10.bc)']),
    ...(isExecutable(ptxas) ? [] : ['its assembler (bin/ptxas)']),
  ];
  return { root, missing, found: missing.length === 0 ? { root, ptxas, libdevice } : null };
}

export function findCuda(env: Environment): CudaInstallation {
  const { root, missing, found } = cudaParts(env);
  if (found !== null) return found;
  throw new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    root === null ? 'no CUDA toolkit was found' : `the CUDA toolkit in ${root} lacks ${missing.join(', ')}`,
    'PGO compiles CUDA with clang 22, the headers and the ptxas of the toolkit: install it (12.4 or newer), and name its folder with CUDA_HOME if it lies elsewhere than /usr/local/cuda',
  );
}
