import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../support/error';

/** What a killed run could not remove itself. */
export function removeLeftovers(reproducer: string): void {
  if (!existsSync(reproducer)) return;
  for (const name of readdirSync(reproducer)) {
    const pid = name.startsWith('pristine.partial-') ? Number(name.slice('pristine.partial-'.length)) : NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(reproducer, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

export function resetFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
