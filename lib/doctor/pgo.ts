import { existsSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { isLeftOut } from '../native/rest';
import { cudaParts } from '../pgo/cuda-installation';
import { deviceLibraryFolder, rocmFolder } from '../pgo/hip-installation';
import { hostRuntime } from '../pgo/app/host-half';
import { pluginSourceFiles, pluginSources } from '../pgo/sources';
import { KernloopError } from '../support/error';
import { aptLine, findLlvm, llvmMajor, llvmParts, missingParts, type LlvmParts } from '../toolchain/find-llvm';
import type { Check } from './check';

/** Parts that PGO builds with. Only PGO needs them, so their absence is no fault. */
export async function pgoChecks(deps: Deps): Promise<Check[]> {
  const parts = llvmParts(deps.env);
  return [await llvmCheck(parts, deps), pluginCheck(parts, deps), deviceLibraries(deps), cudaForPgo(deps)];
}

async function llvmCheck(parts: LlvmParts, deps: Deps): Promise<Check> {
  const name = `LLVM ${llvmMajor} (PGO)`;
  const missing = missingParts(parts, false);
  if (missing.length > 0) {
    const others =
      parts.others.length === 0
        ? ''
        : ` (LLVM ${parts.others.join(', ')} is here: PGO's plugin is bound to ${llvmMajor})`;
    const hint = aptLine(parts, true) ?? '';
    return {
      name,
      state: 'optional',
      detail: `${missing.join(', ')} not found${others}; PGO needs them: ${hint}`,
      hint,
    };
  }
  try {
    const llvm = await findLlvm(deps, { wantsPlugin: false });
    const lacks =
      hostRuntime(llvm) === null ? `; host code of apps is not counted without libclang-rt-${llvmMajor}-dev` : '';
    return { name, state: 'ok', detail: `${llvm.version}, ${llvm.clang}${lacks}`, hint: '' };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return { name, state: 'optional', detail: error.what, hint: error.hint };
  }
}

/** The plugin is built when it is first needed. */
function pluginCheck(parts: LlvmParts, deps: Deps): Check {
  const name = 'PGO plugin';
  const lacks = [
    ...(parts.cmake === null ? [`llvm-${llvmMajor}-dev`] : []),
    ...(pluginSourceFiles().length === 0 ? [`its sources (${pluginSources})`] : []),
    ...(hasProgram(deps) ? [] : ['kernloop-pgo']),
  ];
  if (lacks.length === 0)
    return { name, state: 'ok', detail: `built once a workspace, from ${pluginSources}`, hint: '' };
  const hint = parts.cmake === null ? (aptLine(parts, true) ?? '') : 'install kernloop once more';
  return { name, state: 'optional', detail: `${lacks.join(', ')} not found: ${hint}`, hint };
}

/** Whether the PGO program exists or can be built; another check reports missing native programs. */
function hasProgram(deps: Deps): boolean {
  try {
    return existsSync(deps.native.pgo) || isLeftOut(deps.native);
  } catch (error) {
    if (error instanceof KernloopError) return false;
    throw error;
  }
}

/** Parts of CUDA that clang compiles with: nvcc itself is not needed. */
function cudaForPgo({ env }: Pick<Deps, 'env'>): Check {
  const name = 'CUDA for PGO';
  const { root, missing, found } = cudaParts(env);
  if (found !== null) return { name, state: 'ok', detail: `${found.root}, ${found.ptxas}`, hint: '' };
  const hint = 'install the CUDA toolkit (12.4 or newer), or name its folder with CUDA_HOME';
  const detail = root === null ? 'no CUDA toolkit found' : `${root} lacks ${missing.join(', ')}`;
  return { name, state: 'optional', detail: `${detail}; PGO of CUDA kernels is built with it: ${hint}`, hint };
}

function deviceLibraries({ env }: Pick<Deps, 'env'>): Check {
  const name = 'HIP for PGO';
  const [rocm, libraries] = [rocmFolder(env), deviceLibraryFolder(env)];
  if (rocm !== null && libraries !== null) return { name, state: 'ok', detail: `${rocm}, ${libraries}`, hint: '' };
  const hint = 'sudo apt-get install libamdhip64-dev rocm-device-libs';
  const missing = rocm === null ? 'headers (hip/hip_runtime.h)' : 'device libraries (ockl.bc)';
  return { name, state: 'optional', detail: `${missing} not found: ${hint}`, hint };
}
