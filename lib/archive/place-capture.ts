import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { partialOf, removeDeadPartials } from '../support/leftovers';
import { taken } from '../support/output-file';
import { captureFile } from './capture-files';

/**
 * Folder in which a capture is made before it takes its place: inside the target if the user made that one, because it
 * is then filled, not replaced. A shell may be in it.
 */
export function stagingOf(target: string): string {
  const isFilled = existsSync(target) && !existsSync(captureFile(target));
  const place = isFilled ? join(target, 'capture') : target;
  removeDeadPartials(place);
  return partialOf(place);
}

/** Puts a finished capture in place. capture.json comes last, because it marks the folder as a capture. */
export function placeCapture(staging: string, target: string): void {
  if (dirname(staging) !== target) {
    mkdirSync(dirname(target), { recursive: true });
    renameSync(staging, target);
    return;
  }
  requireEmpty(target, staging);
  fillFolder(staging, target);
}

/** Moves a finished capture into a folder that is there, and stays the same one. */
export function fillFolder(staging: string, target: string): void {
  const last = basename(captureFile(target));
  const names = readdirSync(staging).filter((name) => name !== last);
  const moved: string[] = [];
  try {
    for (const name of [...names, last]) {
      renameSync(join(staging, name), join(target, name));
      moved.push(join(target, name));
    }
  } catch (error) {
    for (const path of moved) rmSync(path, { recursive: true, force: true });
    throw error;
  }
  rmdirSync(staging);
}

/** Refuses a folder with other files than the capture that is being made. */
function requireEmpty(target: string, staging: string): void {
  const others = readdirSync(target).filter((name) => join(target, name) !== staging);
  if (others.length > 0)
    throw taken(
      `${target} is there, and is no capture (it has ${others[0]})`,
      'move away what is in it, or name another folder',
    );
}
