import { statSync } from 'node:fs';

/** State that changes with the content: file, size, and the time of the last change (ctime), which no tool can set. */
export function stateOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** Returns false for a file that changed so recently that another change may have the same time. */
export function isSettled(path: string): boolean {
  return Date.now() - statSync(path).ctimeMs > settledMs;
}

const settledMs = 2000;
