import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { sha256 } from '../support/files';
import { packageRoot } from '../support/version';

/** Sources of the LLVM plugin, which the package ships because a plugin must be built for a machine's exact LLVM. */
export const pluginSources = join(packageRoot, 'native', 'pgo', 'pass');

export const ownHeaders = join(packageRoot, 'native', 'pgo', 'headers');

/** Header included first, for HIP versions that expect an older clang. */
export const hipHeader = join(ownHeaders, 'kernloop-hip-clang.h');

/** Substitutes for CUDA headers that clang includes and some toolkits lack. */
export const cudaHeaders = join(ownHeaders, 'cuda');

/** Files that decide the plugin; tests and documentation are left out. */
export function pluginSourceFiles(folder = pluginSources): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|h|def|cmake)$|^CMakeLists\.txt$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|\/)test(s|ing)?\//.test(relative(folder, path)) && !/_test\.cpp$/.test(basename(path)))
    .sort();
}

export function pluginSourceDigest(digestOf: (path: string) => string, folder = pluginSources): string {
  return sha256(
    pluginSourceFiles(folder)
      .map((path) => `${relative(folder, path)} ${digestOf(path)}`)
      .join('\n'),
  );
}
