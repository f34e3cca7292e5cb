import { existsSync, readFileSync } from 'node:fs';
import { valueOfJson } from './json-text';

/** Undefined if the file is missing or broken; stages that need the file report that. */
function jsonOf(path: string): unknown {
  // Most requested files do not exist, and throwing an error costs ten times this check.
  if (!existsSync(path)) return undefined;
  try {
    return valueOfJson(path, readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Reader of JSON files that behaves like `jsonOf`. */
export type JsonReader = (path: string) => unknown;

/** Memoises for one command, which reads the same files several times. */
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
