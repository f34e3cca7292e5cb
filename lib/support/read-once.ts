import { existsSync, lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemCode } from './error';
import { sha256, sha256OfFile } from './files';
import { valueOfJson } from './json-text';
import { memoised } from './lenient-json';
import { kernelFile, kernloopFile } from './project-file-names';
import { readWholeFile } from './regular-file';

interface Whole {
  text: string;
  digest: string;
}

type Entries = ReadonlyMap<string, Dirent>;
const none: Entries = new Map();

/**
 * One look at files: each is read once, so that its text, its value and its digest are of the same bytes, and each
 * folder is listed once. What may have changed since is seen by another look, which parses only what differs from
 * `before`.
 */
export class ReadOnce {
  private readonly listed = new Map<string, Entries | undefined>();
  private readonly wholes = new Map<string, Whole | undefined>();
  private readonly values: Map<string, { digest: string; value: unknown }>;
  private readonly part = memoised(sha256OfFile);

  constructor(before?: ReadOnce) {
    this.values = new Map(before?.values);
  }

  /** Text of a file; undefined if it is missing. */
  readonly textOf = (path: string): string | undefined => this.whole(path)?.text;

  /** Value of a JSON file; undefined if it is missing. */
  readonly jsonIn = (path: string): unknown => {
    const whole = this.whole(path);
    const known = this.values.get(path);
    if (whole === undefined || whole.digest === known?.digest) return whole && known?.value;
    const value = valueOfJson(path, whole.text);
    this.values.set(path, { digest: whole.digest, value });
    return value;
  };

  /** Project files are read whole, because their text is asked for, too; others may be large. */
  readonly digestOf = (path: string): string => {
    const isWhole = this.wholes.has(path) || [kernelFile, kernloopFile].includes(basename(path));
    return (isWhole ? this.digestOfWhole(path) : undefined) ?? this.part(path);
  };

  /** Digest of a file whose text is asked for, too; undefined if it is missing. */
  digestOfWhole(path: string): string | undefined {
    return this.whole(path)?.digest;
  }

  /** Reads the file again when it is next asked for, after this process wrote it or waited for one that may have. */
  forget(path: string): void {
    this.wholes.delete(path);
    // Its folder may be new, too.
    this.listed.clear();
  }

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

  private whole(path: string): Whole | undefined {
    if (!this.wholes.has(path)) this.wholes.set(path, this.isThere(path) ? wholeOf(readWholeFile(path)) : undefined);
    return this.wholes.get(path);
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

const wholeOf = (bytes: Buffer): Whole => ({ text: bytes.toString('utf8'), digest: sha256(bytes) });

function listing(folder: string): Entries | undefined {
  try {
    return new Map(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '') ? none : undefined;
  }
}
