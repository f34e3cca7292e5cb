import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { sha256, sha256OfFile } from './files';
import { memoised } from './lenient-json';
import type { Opened } from './opened-once';
import { kernelFile, kernloopFile } from './project-file-names';
import { readRegularFile } from './regular-file';

/**
 * One look at files: each is read once, so that its text and its digest are of the same bytes. What may have changed
 * since is seen by another look.
 */
export class ReadOnce implements Opened {
  private readonly whole = memoised((path) => {
    // Most requested files do not exist, and throwing an error costs ten times this check.
    if (!existsSync(path)) return undefined;
    const bytes = readRegularFile(path);
    return { text: bytes.toString('utf8'), digest: sha256(bytes) };
  });
  private readonly part = memoised(sha256OfFile);

  /** Text of a file; undefined if it is missing. */
  readonly textOf = (path: string): string | undefined => this.whole(path)?.text;

  /** Project files are read whole, because their text is asked for, too; others may be large. */
  readonly digestOf = (path: string): string =>
    ([kernelFile, kernloopFile].includes(basename(path)) ? this.whole(path)?.digest : undefined) ?? this.part(path);
}
