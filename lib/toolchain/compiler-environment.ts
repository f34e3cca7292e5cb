import type { Deps } from '../deps/deps';
import type { Environment } from '../support/environment';

/**
 * Variables that add options which the command does not show. They are unset, so that a recipe gives the same code in
 * every shell. Those that the app's build needs belong in "env" of kernloop.json, and so in the recipe.
 */
const ofEveryCompiler = [
  'CPATH',
  'C_INCLUDE_PATH',
  'CPLUS_INCLUDE_PATH',
  'OBJC_INCLUDE_PATH',
  'OBJCPLUS_INCLUDE_PATH',
  'COMPILER_PATH',
  'GCC_EXEC_PREFIX',
  'LIBRARY_PATH',
  'DEPENDENCIES_OUTPUT',
  'SUNPRO_DEPENDENCIES',
  'CCC_OVERRIDE_OPTIONS',
];
const ofHipcc = [
  'HIPCC_COMPILE_FLAGS_APPEND',
  'HIPCC_LINK_FLAGS_APPEND',
  'HCC_AMDGPU_TARGET',
  'HIP_CLANG_HCC_COMPAT_MODE',
  'HIP_COMPILE_CXX_AS_HIP',
];
const ofNvcc = ['NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS', 'NVCC_CCBIN'];

/** Variables that change what hipcc compiles and contain no path: recipes record them. */
export const recordedVariables: readonly string[] = ['HIPCC_COMPILE_FLAGS_APPEND'];

/** Variables that select the compiler and its installation: they must stay, and count as the toolchain. */
export const installationVariables: readonly string[] = [
  'KERNLOOP_COMPILER',
  'ROCM_PATH',
  'HIP_PATH',
  'HIP_CLANG_PATH',
  'HIP_ROCCLR_HOME',
  'HIP_LIB_PATH',
  'HIP_COMPILER',
  'HIP_RUNTIME',
  'HSA_PATH',
  'DEVICE_LIB_PATH',
  'HIP_DEVICE_LIB_PATH',
  'CUDA_HOME',
  'CUDA_PATH',
  'CUDAToolkit_ROOT',
  'KERNLOOP_NVRTC',
  'KERNLOOP_PYTHON',
  'SOURCE_DATE_EPOCH',
];

/** Selects AMD's platform: hipcc would otherwise compile for NVIDIA if an nvcc is on the PATH. */
export function compilerEnvironment(recorded: Environment = {}): Record<string, string | undefined> {
  return {
    ...without([...ofEveryCompiler, ...ofHipcc]),
    ...Object.fromEntries(recordedVariables.map((name) => [name, recorded[name]])),
    HIP_PLATFORM: 'amd',
  };
}

export function nvccEnvironment(): Record<string, string | undefined> {
  return without([...ofEveryCompiler, ...ofNvcc]);
}

function without(names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Warns once per stage, because a user who sets one expects it to work. */
export function warnOfVariablesSetAside({ env, report }: Pick<Deps, 'env' | 'report'>): void {
  const set = [...ofEveryCompiler, ...ofHipcc, ...ofNvcc].filter((name) => env[name]);
  if (set.length === 0) return;
  report.warn(
    `${set.join(', ')} of the environment ${set.length === 1 ? 'is' : 'are'} left aside, so that the code is the same in every shell; ` +
      'what the app is built with belongs into "env" of kernloop.json',
  );
}
