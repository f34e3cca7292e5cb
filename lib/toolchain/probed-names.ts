import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readRegularFile } from '../support/regular-file';

/** In text of any kind, comments and what is not compiled too: a name too many does no harm. */
const quoted = /(?:#\s*(?:include|include_next|import)|__has_include(?:_next)?\s*\()\s*"([^"\n]+)"/g;

/** Files that these ask for by relative names, where the compiler looks before it looks elsewhere; not all of them exist. */
export function askedFiles(files: readonly string[], reproducer: string): string[] {
  const asked = files.flatMap((file) =>
    [...readRegularFile(file, 'utf8').matchAll(quoted)].flatMap(([, name = '']) =>
      [dirname(file), reproducer].map((folder) => resolve(folder, name)),
    ),
  );
  return [...new Set(asked)].sort();
}

/**
 * Files that these ask for by relative names and that do not exist, where the compiler looks before it looks elsewhere: one that comes to
 * be there hides another, or makes `__has_include` true, though every file that was read is still as it was.
 */
export function absentFiles(files: readonly string[], reproducer: string): string[] {
  return askedFiles(files, reproducer).filter((path) => !existsSync(path));
}
