import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './error';

/** Folder that exists from now on. Only those above it that were missing are ours to remove again. */
export class MadeFolder {
  private readonly made: readonly string[];

  constructor(folder: string) {
    const first = mkdirSync(folder, { recursive: true });
    this.made = first === undefined ? [] : upwards(folder, first);
  }

  /** Removes what was made, if it is still empty. The error of the stage says more than one of this removal. */
  removeIfEmpty(): void {
    try {
      for (const folder of this.made) {
        if (readdirSync(folder).length > 0) return;
        rmdirSync(folder);
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function upwards(folder: string, last: string): string[] {
  return folder === last ? [folder] : [folder, ...upwards(dirname(folder), last)];
}
