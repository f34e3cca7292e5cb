import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { sha256 } from '../support/files';
import { packageRoot } from '../support/version';

/** The LLVM plugin: sources, since it is built for the very LLVM that a machine has. They travel in the package. */
export const pluginSources = join(packageRoot, 'native', 'pgo', 'pass');

export const ownHeaders = join(packageRoot, 'native', 'pgo', 'headers');

/** Included before everything else, for HIPs that expect an older clang. */
export const hipHeader = join(ownHeaders, 'kernloop-hip-clang.h');

/** In the place of headers of CUDA that clang includes and that not every toolkit has. */
export const cudaHeaders = join(ownHeaders, 'cuda');

/** What decides the plugin, and not what only tests or people read. */
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
