import { existsSync, readFileSync } from 'node:fs';
import { valueOfJson } from './json-text';

/** Text of a file; undefined if it is missing. */
export function textIfThere(path: string): string | undefined {
  // Most requested files do not exist, and throwing an error costs ten times this check.
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Value of a JSON file; undefined if it is missing or broken: stages that need the file report that. */
export type JsonReader = (path: string) => unknown;

/** Memoises for one command, which reads the same files several times. `jsonIn` may know their values already. */
export const jsonReader = (jsonIn = jsonIfThere): JsonReader =>
  memoised((path) => {
    try {
      return jsonIn(path);
    } catch {
      return undefined;
    }
  });

function jsonIfThere(path: string): unknown {
  const text = textIfThere(path);
  return text === undefined ? undefined : valueOfJson(path, text);
}

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
