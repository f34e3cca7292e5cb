/**
 * Stands for one command or task, whose parts go on with the project that its options came from. A process that runs
 * many commands has one for each.
 */
export interface Opened {
  /** Text of a file that was read already, or is read for all parts; undefined if it is missing. */
  readonly textOf?: (path: string) => string | undefined;
}

/** Opens each path once in a command; without `opened`, anew at each call, for what may have changed meanwhile. */
export function openedOnce<T>(open: (path: string, opened?: Opened) => T): (path: string, opened?: Opened) => T {
  const known = new WeakMap<Opened, Map<string, T>>();
  return (path, opened) => {
    if (opened === undefined) return open(path);
    const own = known.get(opened) ?? new Map<string, T>();
    known.set(opened, own);
    const value = own.get(path) ?? open(path, opened);
    own.set(path, value);
    return value;
  };
}
