import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { captureFile, foreignCaptureFiles, isOfACapture } from '../archive/capture-files';
import { fillFolder } from '../archive/place-capture';
import type { KernelCapture } from './result';
import { throwIfGivenUp } from '../support/given-up';
import { outputsOf, takesSeveral, type Selection } from './selection';
import { partialOf } from '../support/leftovers';

/**
 * Moves the first good capture of a kernel to `capture`, which the reproducer uses; the others stay in
 * `captures/<ordinal>`. Removes captures of an earlier selection there, but no file of the user's. Returns the captures
 * with their new folders. A capture in `stays` was to be replaced by one that failed its self-check.
 */
export function settleOutputs(
  selection: Selection,
  captures: readonly KernelCapture[],
  stays: readonly string[] = [],
): KernelCapture[] {
  if (captures.length === 0) return [];
  const [main = captures[0]] = captures.filter(({ selfcheck }) => selfcheck?.verdict !== 'failed');
  const settled = captures.map((capture) => {
    if (!takesSeveral(selection) || capture !== main) return capture;
    replaceFolder(capture.output, selection.output);
    return { ...capture, output: selection.output };
  });
  const outputs = outputsOf(selection.output);
  const isEmptied =
    removeOthers(outputs, new Set([...settled.map(({ output }) => output), ...stays])) || takesSeveral(selection);
  if (isEmptied && existsSync(outputs) && readdirSync(outputs).length === 0) rmdirSync(outputs);
  return settled;
}

/**
 * Replaces a capture and carries over the other files in its folder. Restores the old folder if the new one cannot take
 * its place. A folder of the user without a capture is filled.
 */
export function replaceFolder(from: string, to: string): void {
  throwIfGivenUp();
  if (existsSync(to) && !existsSync(captureFile(to))) {
    fillFolder(from, to);
    return;
  }
  const older = partialOf(to);
  mkdirSync(dirname(to), { recursive: true });
  rmSync(older, { recursive: true, force: true });
  if (existsSync(to)) {
    for (const name of othersIn(to))
      cpSync(join(to, name), join(from, name), { recursive: true, verbatimSymlinks: true });
    renameSync(to, older);
  }
  try {
    renameSync(from, to);
  } catch (error) {
    if (existsSync(older)) renameSync(older, to);
    throw error;
  }
  rmSync(older, { recursive: true, force: true });
}

/** Whether there were any. */
function removeOthers(folder: string, kept: ReadonlySet<string>): boolean {
  if (!existsSync(folder)) return false;
  const numbered = readdirSync(folder).filter((entry) => /^\d+$/.test(entry));
  const others = numbered
    .map((name) => join(folder, name))
    .filter((path) => !kept.has(path) && existsSync(captureFile(path)) && foreignCaptureFiles(path).length === 0);
  others.forEach(removeCapture);
  return others.length > 0;
}

/** Removes capture.json last, because it marks the folder as a capture. Other files stay. */
export function removeCapture(folder: string): void {
  const ours = readdirSync(folder).filter(isOfACapture);
  for (const name of ours.filter((each) => each !== 'capture.json')) rmSync(join(folder, name), { force: true });
  rmSync(captureFile(folder));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function othersIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !isOfACapture(name));
}
