import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { captureFile } from '../archive/capture-files';
import { uncheckedReason } from '../archive/selfcheck-seal';
import { KernloopError } from '../support/error';
import { deadPartials, partialOf, removeDeadPartials } from '../support/leftovers';
import { outputsOf, type Selection } from './selection';

/**
 * Selections whose new captures are made beside a checked one and take its place once they have passed their own
 * self-check: an interruption or a capture that does not replay costs nothing that was proven.
 */
export function stagedSelections(selections: readonly Selection[]): Selection[] {
  return selections.map((selection) => {
    const { output } = selection;
    putBack(output);
    removeDeadPartials(newOf(output));
    // A capture that may be of another kernel than its place is for is never made there.
    if (!hasChecked(output) && selection.declared === undefined) return selection;
    return { ...selection, staging: join(partialOf(newOf(output)), basename(output)) };
  });
}

/** Removes captures that did not take their place. */
export function removeStaged(selections: readonly Selection[]): void {
  for (const { staging } of selections)
    if (staging !== undefined) rmSync(dirname(staging), { recursive: true, force: true });
}

/** Final folder of a capture that is made in `made`. */
export function placeOf({ output, staging }: Selection, made: string): string {
  return staging === undefined ? made : join(dirname(output), relative(dirname(staging), made));
}

/** A run that was killed while a capture changed places left the one before beside its place. */
function putBack(output: string): void {
  const [before] = existsSync(output) ? [] : deadPartials(output).filter(isChecked);
  if (before !== undefined) renameSync(before, output);
}

const newOf = (output: string): string => `${output}-new`;

/** Whether a checked capture is in this folder, or beside it. */
export function hasChecked(output: string): boolean {
  const outputs = outputsOf(output);
  const several = existsSync(outputs) ? readdirSync(outputs).map((name) => join(outputs, name)) : [];
  return [output, ...several].some(isChecked);
}

function isChecked(folder: string): boolean {
  if (!existsSync(captureFile(folder))) return false;
  try {
    return uncheckedReason(folder) === null;
  } catch (error) {
    // A self-check that cannot be read proves nothing.
    if (error instanceof KernloopError) return false;
    throw error;
  }
}
