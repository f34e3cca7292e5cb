import { statSync } from 'node:fs';

/** Changes with every new content: file, size, and the time of the last change of any kind (ctime), which no tool sets. */
export function stateOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** False for a file that changed so shortly ago that another change may bear the same time. */
export function isSettled(path: string): boolean {
  return Date.now() - statSync(path).ctimeMs > settledMs;
}

const settledMs = 2000;
