import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { sha256OfFile, writeFileAtomic } from './files';
import type { Environment } from './environment';

/**
 * Digests of installed files, such as compilers and the native programs, that are to be known in every command: 200 MB of them. They are
 * remembered by all that a new content changes: file, size, and the time of the last change of any kind (ctime), which no tool sets. What
 * users edit is not asked of it: that is read.
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

  /** Of the user, for all workspaces: ~/.cache, or XDG_CACHE_HOME. */
  static of(env: Environment): KnownDigests {
    const home = env['HOME'];
    const folders = [env['XDG_CACHE_HOME'], home ? join(home, '.cache') : undefined];
    const folder = folders.find((each) => each && isAbsolute(each));
    return new KnownDigests(folder ? join(folder, 'kernloop', 'digests.json') : undefined, ofThisProcess);
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
    // What changed while it was read, or so shortly before that another change may bear the same time, is not remembered.
    if (stateOf(real) === state && Date.now() - statSync(real).ctimeMs > settledMs) {
      this.found.set(key, digest);
      this.hasNews = true;
    }
    return digest;
  };

  /** Writes down what is new. A folder that cannot be written to costs time, nothing else; of two writers one is forgotten. */
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
const settledMs = 2000;
const mostEntries = 4096;

function stateOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

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
