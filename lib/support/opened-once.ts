import type { ReadOnce } from './read-once';

/**
 * Opens each path once in a look, which is that of one command or task: its parts go on with the project that its
 * options came from. Without a look, opens it anew at each call, for what may have changed meanwhile.
 */
export function openedOnce<T>(open: (path: string, files?: ReadOnce) => T): (path: string, files?: ReadOnce) => T {
  const known = new WeakMap<ReadOnce, Map<string, T>>();
  return (path, files) => {
    if (files === undefined) return open(path);
    const own = known.get(files) ?? new Map<string, T>();
    known.set(files, own);
    const value = own.get(path) ?? open(path, files);
    own.set(path, value);
    return value;
  };
}
