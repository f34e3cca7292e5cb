import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { KernloopError } from '../support/error';
import { kernelFile, kernloopFile } from '../support/project-file-names';

const skippedFolders = new Set(['node_modules', 'build', 'dist', 'CMakeFiles']);

/** Without a compile database, source trees with more files than this are not searched. */
const maxFiles = 5000;

/** Files below a folder with one of these extensions, in a fixed order; hidden and generated folders are left out. */
export function sourcesBelow(folder: string, extensions: readonly string[]): string[] {
  if (!existsSync(folder)) {
    throw new KernloopError(
      'CONFIG_INVALID',
      `the folder of sources ${folder} does not exist`,
      `correct "source" of ${kernloopFile}`,
    );
  }
  const found: string[] = [];
  const pending = [folder];
  for (let current = pending.shift(); current !== undefined && found.length < maxFiles; current = pending.shift()) {
    const entries = readdirSync(current, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    // Skips reproducers by their kernel.json: they hold copies of sources. The folder name `kernels` is no sign,
    // because apps use it too.
    if (entries.some(({ name }) => name === kernelFile)) continue;
    for (const entry of entries) {
      const path = join(current, entry.name);
      if (entry.isDirectory() && !/^\.|^pristine\.partial-/.test(entry.name) && !skippedFolders.has(entry.name))
        pending.push(path);
      if (entry.isFile() && extensions.includes(extname(entry.name))) found.push(path);
    }
  }
  return found;
}
