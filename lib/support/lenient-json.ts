import { existsSync, readFileSync } from 'node:fs';

/** Undefined where there is none, or a broken one: that is reported where the file is itself read. */
function jsonOf(path: string): unknown {
  // Most of those that are asked for are not there, and an error that is thrown costs ten times this.
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What a file of JSON says: see `jsonOf`. */
export type JsonReader = (path: string) => unknown;

/** For one command, which asks for the same files several times. */
export const jsonReader = (): JsonReader => memoised(jsonOf);

export function memoised<R>(of: (path: string) => R): (path: string) => R {
  const known = new Map<string, R>();
  return (path) => {
    const value = known.has(path) ? (known.get(path) as R) : of(path);
    known.set(path, value);
    return value;
  };
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
