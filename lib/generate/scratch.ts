import { mkdirSync, rmSync } from 'node:fs';

export function resetFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
