import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { llvmParts } from '../toolchain/find-llvm';
import { sha256, sha256OfFile } from '../support/files';
import { KnownDigests } from '../support/known-digests';
import type { Environment } from '../support/environment';
import { cudaParts } from './cuda-installation';
import { deviceLibraryFolder, rocmFolder } from './hip-installation';
import { cudaHeaders, hipHeader, pluginSourceDigest } from './sources';

/**
 * Identity of everything besides sources and options that decides PGO's code: LLVM 22, the plugin's sources and the
 * device libraries. It is computed from contents without starting a process, so equal installations are equal in any
 * folder. `none` if there is no such LLVM.
 */
export function pgoToolchainIdentity(env: Environment, digests: KnownDigests = KnownDigests.of(env)): string {
  const { found } = llvmParts(env);
  if (found.clang === null) return 'none';
  const programs = Object.values(found).filter((path) => path !== null);
  const libraries = join(dirname(realpathSync(found.clang)), '..', 'lib');
  const bitcode = deviceLibraryFolder(env);
  const files = [
    ...programs,
    ...filesIn(libraries, (name) => /^lib(LLVM|clang-cpp).*\.so/.test(name)),
    ...(bitcode === null ? [] : filesIn(bitcode, (name) => name.endsWith('.bc'))),
    ...cudaFiles(env),
    ...[join(rocmFolder(env) ?? '/', 'include', 'hip', 'hip_version.h')].filter((path) => existsSync(path)),
  ];
  const described = [...new Set(files)].map((path) => `${basename(path)} ${digests.of(path)}`);
  digests.save();
  // Kernloop's own sources are always hashed: they are few and small, and edited in a checkout.
  const headers = [hipHeader, ...filesIn(cudaHeaders, () => true)];
  const ours = [
    pluginSourceDigest(sha256OfFile),
    ...headers.map((path) => (existsSync(path) ? sha256OfFile(path) : 'none')),
  ];
  return sha256([...described, ...ours].join('\n'));
}

/** ptxas, the device library and cuda.h; a build records the other headers that it reads. */
function cudaFiles(env: Environment): string[] {
  const { found } = cudaParts(env);
  return found === null ? [] : [found.ptxas, found.libdevice, join(found.root, 'include', 'cuda.h')].filter(existsSync);
}

function filesIn(folder: string, wanted: (name: string) => boolean): string[] {
  try {
    return readdirSync(folder)
      .filter(wanted)
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path));
  } catch {
    return [];
  }
}
