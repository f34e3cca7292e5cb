import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readRegularFile } from '../support/regular-file';

/** Matches comments and skipped code too: additional names do no harm. */
const quoted = /(?:#\s*(?:include|include_next|import)|__has_include(?:_next)?\s*\()\s*"([^"\n]+)"/g;

/** Relative names that these files include, in the folders that the compiler searches first; not all of them exist. */
export function askedFiles(files: readonly string[], reproducer: string): string[] {
  const asked = files.flatMap((file) =>
    [...readRegularFile(file, 'utf8').matchAll(quoted)].flatMap(([, name = '']) =>
      [dirname(file), reproducer].map((folder) => resolve(folder, name)),
    ),
  );
  return [...new Set(asked)].sort();
}

/**
 * Relative names that do not exist where the compiler searches first. A file created there would hide another or make
 * `__has_include` true, although every file that was read is unchanged.
 */
export function absentFiles(files: readonly string[], reproducer: string): string[] {
  return askedFiles(files, reproducer).filter((path) => !existsSync(path));
}
