import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from './files';
import { userCacheFile } from './user-cache';
import type { Environment } from './environment';

const schema = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.array(z.string()));

/** Answers of programs, cached across commands. The key covers everything that decides one, so none goes stale. */
export class KnownAnswers {
  constructor(private readonly file: string | undefined) {}

  static of(env: Environment): KnownAnswers {
    return new KnownAnswers(userCacheFile(env, 'answers.json'));
  }

  /** False if the user has no cache folder. */
  get isKept(): boolean {
    return this.file !== undefined;
  }

  of(key: string): readonly string[] | undefined {
    return this.read().get(key);
  }

  /** An unwritable folder only costs time; of two concurrent writers, one entry is lost. */
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
/** Upper bound of the file size: all entries, with characters of up to three bytes. */
const mostBytes = 3 * mostEntries * (mostCharacters + 80);

/** Answers decide what is run, so a file that others can write is not read. */
function isOfThisUser(file: string): boolean {
  const { uid, mode, size } = statSync(file);
  return uid === process.getuid?.() && (mode & 0o002) === 0 && size <= mostBytes;
}
