import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { sha256OfFile } from '../support/files';

/** `all`: every file by size, mtime and ctime, which no tool sets. `modules`: files that Python imports, by content. */
export type FingerprintKind = 'all' | 'modules';

const mostFiles = 300_000;
const skipped = new Set(['__pycache__', 'node_modules', '.git', '.nx', '.kernloop']);
const modules = /\.(py|so|pth)$/;

/**
 * Fingerprint of every file below a folder, and below the folders that `.pth` files and editable installations of
 * Python lead to.
 */
export function fingerprintOf(folder: string, kind: FingerprintKind): string {
  const hash = createHash('sha256');
  const folders = [folder];
  const seen = new Set([realpathSync(folder)]);
  const visit = (path: string): void => {
    const real = realpathSync(path);
    if (seen.has(real)) return;
    seen.add(real);
    folders.push(path);
  };
  let count = 0;
  for (const current of folders) {
    for (const { name, path, stats } of entriesOf(current)) {
      if (stats.isDirectory()) {
        // A reproducer is not part of the program that it came from.
        if (!skipped.has(name) && !existsSync(join(path, 'kernel.json'))) visit(path);
        continue;
      }
      if (!stats.isFile() || name.endsWith('.pyc') || (kind === 'modules' && !modules.test(name))) continue;
      count += 1;
      // Too many files to read: a random answer, so that it never equals another.
      if (count > mostFiles) return randomUUID();
      const state = kind === 'modules' ? sha256OfFile(path) : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
      hash.update(`${relative(folder, path)} ${state}\n`);
      foldersNamedIn(current, name).forEach(visit);
    }
  }
  return hash.digest('hex');
}

function entriesOf(folder: string): { name: string; path: string; stats: Stats }[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? [{ name, path, stats }] : [];
    });
}

/** `x.pth` has one folder per line; `__editable___x_finder.py` of setuptools maps packages to folders. */
function foldersNamedIn(folder: string, name: string): string[] {
  if (!/\.pth$|\.egg-link$|^__editable__.*\.py$/.test(name)) return [];
  const text = readFileSync(join(folder, name), 'utf8');
  const paths = name.endsWith('.py')
    ? [...text.matchAll(/['"](\/[^'"\n]+)['"]/g)].map(([, path]) => path ?? '')
    : text.split('\n').filter((line) => line.trim() !== '' && !/^(import\s|#)/.test(line));
  return paths
    .map((path) => resolve(folder, path.trim()))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}
