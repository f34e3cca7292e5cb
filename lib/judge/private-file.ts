import { chmodSync, writeFileSync } from 'node:fs';
import { systemCode } from '../support/error';

/** Writes a file that only its owner can read, unless it is there: another judge that starts meanwhile has made it. */
export function writePrivate(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
