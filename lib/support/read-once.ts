import { existsSync, lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemCode } from './error';
import { sha256, sha256OfFile } from './files';
import { memoised } from './lenient-json';
import type { Opened } from './opened-once';
import { kernelFile, kernloopFile } from './project-file-names';
import { readRegularFile } from './regular-file';

type Entries = ReadonlyMap<string, Dirent>;
const none: Entries = new Map();

/**
 * One look at files: each is read once, so that its text and its digest are of the same bytes, and each folder is
 * listed once. What may have changed since is seen by another look.
 */
export class ReadOnce implements Opened {
  private readonly listed = new Map<string, Entries | undefined>();
  private readonly whole = memoised((path) => {
    if (!this.isThere(path)) return undefined;
    const bytes = readRegularFile(path);
    return { text: bytes.toString('utf8'), digest: sha256(bytes) };
  });
  private readonly part = memoised(sha256OfFile);

  /** Text of a file; undefined if it is missing. */
  readonly textOf = (path: string): string | undefined => this.whole(path)?.text;

  /** Project files are read whole, because their text is asked for, too; others may be large. */
  readonly digestOf = (path: string): string =>
    ([kernelFile, kernloopFile].includes(basename(path)) ? this.whole(path)?.digest : undefined) ?? this.part(path);

  /** Follows links, as `existsSync` does. */
  readonly isThere = (path: string): boolean => {
    const entries = this.entriesOf(dirname(path));
    const entry = entries?.get(basename(path));
    return entries === undefined || entry?.isSymbolicLink() ? existsSync(path) : entry !== undefined;
  };

  /** Follows links. */
  isFile(path: string): boolean {
    const entry = this.entriesOf(dirname(path))?.get(basename(path));
    return entry?.isFile() === true || (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
  }

  isLink(path: string): boolean {
    const entries = this.entriesOf(dirname(path));
    if (entries !== undefined) return entries.get(basename(path))?.isSymbolicLink() ?? false;
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  }

  /** Entries of a folder; none if it is missing or no folder. */
  entriesIn(folder: string): Dirent[] {
    const entries = this.entriesOf(folder);
    return entries === undefined ? readdirSync(folder, { withFileTypes: true }) : [...entries.values()];
  }

  /** Sorted names in a folder. */
  namesIn(folder: string): string[] {
    return this.entriesIn(folder)
      .map(({ name }) => name)
      .sort();
  }

  /** Names of the folders in a folder, without links. */
  foldersIn(folder: string): string[] {
    return this.entriesIn(folder)
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  }

  /** Undefined if the folder may not be listed: its files may be known by name. */
  private entriesOf(folder: string): Entries | undefined {
    if (this.listed.has(folder)) return this.listed.get(folder);
    // Most requested folders do not exist, and throwing an error costs ten times this check.
    const isMissing = this.listed.get(dirname(folder))?.has(basename(folder)) === false && dirname(folder) !== folder;
    const entries = isMissing ? none : listing(folder);
    this.listed.set(folder, entries);
    return entries;
  }
}

function listing(folder: string): Entries | undefined {
  try {
    return new Map(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '') ? none : undefined;
  }
}
