import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeviceSource, type DeviceLanguage } from '../toolchain/translation-unit';
import { kernelFile } from '../support/project-file-names';

const skippedFolders = new Set(['node_modules', 'build', 'dist', 'CMakeFiles']);

/** A source tree with more files than this is not searched without a compile database. */
const maxFiles = 5000;

/** Files below a folder that the compiler of a language would take for device code, in a fixed order; hidden and generated folders are left out. */
export function deviceSources(folder: string, language: DeviceLanguage): string[] {
  const found: string[] = [];
  const pending = [folder];
  for (let current = pending.shift(); current !== undefined && found.length < maxFiles; current = pending.shift()) {
    const entries = readdirSync(current, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    // A reproducer holds copies of sources; a folder of the app's own may well be named `kernels`, as theirs is.
    if (entries.some(({ name }) => name === kernelFile)) continue;
    for (const entry of entries) {
      const path = join(current, entry.name);
      if (entry.isDirectory() && !/^\.|^pristine\.partial-/.test(entry.name) && !skippedFolders.has(entry.name))
        pending.push(path);
      if (entry.isFile() && isDeviceSource(entry.name, language)) found.push(path);
    }
  }
  return found;
}
