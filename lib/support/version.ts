import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Root of the kernloop package, run from source or from dist. */
export const packageRoot = findPackageRoot(__dirname);

export const version = versionOf(packageRoot);

function findPackageRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'executors', 'executors.json'))) return folder;
    if (dirname(folder) === folder) throw new Error(`no kernloop package around ${from}`);
  }
}

function versionOf(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  throw new Error(`${join(root, 'package.json')} has no version`);
}
