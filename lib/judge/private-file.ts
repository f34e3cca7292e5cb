import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { systemCode } from '../support/error';

/**
 * Writes a file that only its owner can read, unless it is there: another judge that starts meanwhile has made it. It
 * appears whole, so that the other one reads no half of it.
 */
export function writePrivate(path: string, content: string): void {
  const partial = `${path}.partial-${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(partial, content, { flag: 'wx', mode: 0o600 });
    chmodSync(partial, 0o600);
    linkSync(partial, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(partial, { force: true });
  }
}
