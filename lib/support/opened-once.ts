/**
 * Stands for one command or task, whose parts go on with the project that its options came from. It holds nothing; a
 * process that runs many commands has one for each.
 */
export type Opened = object;

/** Opens each path once in a command; without `opened`, anew at each call, for what may have changed meanwhile. */
export function openedOnce<T>(open: (path: string) => T): (path: string, opened?: Opened) => T {
  const known = new WeakMap<Opened, Map<string, T>>();
  return (path, opened) => {
    if (opened === undefined) return open(path);
    const own = known.get(opened) ?? new Map<string, T>();
    known.set(opened, own);
    const value = own.get(path) ?? open(path);
    own.set(path, value);
    return value;
  };
}
