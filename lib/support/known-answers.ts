import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from './files';
import { userCacheFile } from './user-cache';
import type { Environment } from './environment';

const schema = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.array(z.string()));

/** What programs answered, in commands before this one. A key is a digest of all that decides the answer: an answer never goes out of date. */
export class KnownAnswers {
  constructor(private readonly file: string | undefined) {}

  static of(env: Environment): KnownAnswers {
    return new KnownAnswers(userCacheFile(env, 'answers.json'));
  }

  /** False where the user has no folder for it. */
  get isKept(): boolean {
    return this.file !== undefined;
  }

  of(key: string): readonly string[] | undefined {
    return this.read().get(key);
  }

  /** A folder that cannot be written to costs time, nothing else; of two writers one is forgotten. */
  add(key: string, answer: readonly string[]): void {
    if (this.file === undefined || JSON.stringify(answer).length > mostCharacters) return;
    const others = [...this.read()].filter(([other]) => other !== key);
    const kept = [...others.slice(-(mostEntries - 1)), [key, answer]];
    try {
      writeFileAtomic(this.file, `${JSON.stringify(Object.fromEntries(kept))}\n`);
    } catch {
      return;
    }
  }

  private read(): Map<string, readonly string[]> {
    try {
      if (this.file === undefined || !isOfThisUser(this.file)) return new Map();
      return new Map(Object.entries(schema.parse(JSON.parse(readFileSync(this.file, 'utf8')))));
    } catch {
      return new Map();
    }
  }
}

const mostEntries = 256;
const mostCharacters = 16 * 1024;
/** What all entries have, of characters of up to three bytes. */
const mostBytes = 3 * mostEntries * (mostCharacters + 80);

/** Answers say what is run: those that somebody else could write are not read. */
function isOfThisUser(file: string): boolean {
  const { uid, mode, size } = statSync(file);
  return uid === process.getuid?.() && (mode & 0o002) === 0 && size <= mostBytes;
}
