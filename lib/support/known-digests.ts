import { readFileSync, realpathSync } from 'node:fs';
import { isSettled, stateOf } from './file-state';
import { sha256OfFile, writeFileAtomic } from './files';
import { userCacheFile } from './user-cache';
import type { Environment } from './environment';

/**
 * Digests of installed files that every command needs, such as compilers and native programs (200 MB). The key changes
 * with every new content (`stateOf`). Files that users edit are always read instead.
 */
export class KnownDigests {
  private readonly known: Map<string, string>;
  private hasNews = false;

  constructor(
    private readonly file: string | undefined,
    private readonly found = new Map<string, string>(),
  ) {
    this.known = file === undefined ? new Map<string, string>() : read(file);
  }

  static of(env: Environment): KnownDigests {
    return new KnownDigests(userCacheFile(env, 'digests.json'), ofThisProcess);
  }

  /** Those that this process has found, for one that asks often. */
  static ofProcess(): KnownDigests {
    return new KnownDigests(undefined, ofThisProcess);
  }

  readonly of = (path: string): string => {
    const real = realpathSync(path);
    const state = stateOf(real);
    const key = `${state} ${real}`;
    const known = this.found.get(key) ?? this.known.get(key);
    if (known !== undefined) {
      this.hasNews ||= !this.known.has(key);
      this.found.set(key, known);
      return known;
    }
    const digest = sha256OfFile(real);
    // A file that changed during or shortly before the read is not cached.
    if (stateOf(real) === state && isSettled(real)) {
      this.found.set(key, digest);
      this.hasNews = true;
    }
    return digest;
  };

  /** Saves new digests. An unwritable folder only costs time; of two concurrent writers, one's entries are lost. */
  save(): void {
    if (!this.hasNews || this.file === undefined) return;
    const ours = [...this.found];
    const others = [...this.known].filter(([key]) => !this.found.has(key));
    const kept = others.slice(Math.max(0, others.length + ours.length - mostEntries));
    try {
      writeFileAtomic(this.file, `${JSON.stringify(Object.fromEntries([...kept, ...ours]))}\n`);
      this.hasNews = false;
    } catch {
      return;
    }
  }
}

const ofThisProcess = new Map<string, string>();
const mostEntries = 4096;

function read(file: string): Map<string, string> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(
      entries.filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && /^[0-9a-f]{64}$/.test(entry[1]),
      ),
    );
  } catch {
    return new Map();
  }
}
