import { mllvm } from './clang-arguments';
import { hipHeader } from './sources';
import { deviceLibraryFolder, hipRelease, rocmFolder } from './hip-installation';
import { KernloopError } from '../support/error';
import type { Environment } from '../support/environment';

export interface HipTarget {
  /** Target such as `gfx90a:xnack-`; null if the build's own arguments name it. */
  target: string | null;
  codeObjectVersion: number | null;
}

/** Arguments with which clang 22 compiles against the installed HIP, even if that HIP expects an older clang. */
export function hipArguments(args: readonly string[], { codeObjectVersion }: HipTarget, env: Environment): string[] {
  const rocm = rocmFolder(env);
  const libraries = deviceLibraryFolder(env);
  if (rocm === null || libraries === null) {
    throw new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      `${rocm === null ? 'the headers of HIP (hip/hip_runtime.h)' : 'the device libraries of ROCm (ockl.bc)'} were not found`,
      'sudo apt-get install libamdhip64-dev rocm-device-libs (Debian), or set ROCM_PATH',
    );
  }
  const major = hipRelease(rocm)?.major ?? null;
  const version = codeObjectVersion ?? (major === 5 ? 4 : null);
  const needsHeader = major === 5 || major === 6;
  const wave64 = args.includes('-mwavefrontsize64');
  return [
    ...(rocm === '/usr' ? [] : ['-isystem', `${rocm}/include`]),
    `--rocm-path=${rocm}`,
    `--rocm-device-lib-path=${libraries}`,
    ...(version === null ? [] : [`-mcode-object-version=${version}`]),
    ...(needsHeader ? ['-include', hipHeader] : []),
    ...(needsHeader && wave64 ? ['-D__AMDGCN_WAVEFRONT_SIZE=64'] : []),
    // Gives a file-local function the same name in the profile for the app and for a reproducer, whose folders differ.
    ...mllvm('static-func-full-module-prefix=false'),
    ...args,
  ];
}
