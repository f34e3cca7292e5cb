import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { App } from '../app/app';
import type { AppFile } from '../app/identity';
import { parseDispatches } from '../app/dispatches';
import { isMatched } from '../app/kernel-match';
import { selectionShape, type KernelEntry } from '../app/kernloop-json';
import { uncheckedReason } from '../archive/selfcheck-seal';
import { captureFile, readCapture, selfcheckFile, selfcheckSchema, type CaptureJson } from '../archive/capture-files';
import type { DeviceDescription } from '../device/device';
import { reproducerPaths } from '../reproducer/layout';
import { missingChunks, storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { kernelFile } from '../support/project-file-names';

/**
 * Reason why a kernel has to be captured again; null if its capture is complete and has the same program (`files`, as
 * they are now), arguments, selection and device.
 */
export function whyCaptureAgain(
  app: App,
  kernel: KernelEntry,
  device: Pick<DeviceDescription, 'identity'>,
  files: readonly AppFile[],
  options: { store?: string | undefined; selfCheck: boolean; shrink: boolean },
  deps: Deps,
): string | null {
  const folder = app.capture(kernel.name);
  if (!existsSync(captureFile(folder))) return 'there is none';
  let capture: CaptureJson;
  try {
    capture = readCapture(folder);
  } catch (error) {
    if (error instanceof KernloopError) return error.what;
    throw error;
  }
  const missing = missingChunks(folder, storesFor(folder, deps.env, options.store)).length;
  if (missing > 0) return `${missing} of its chunks are in no store here`;
  if (capture.device.identity !== device.identity) return `it is of another device (${capture.device.identity})`;
  return (
    changedFile(capture, files) ??
    changedCommand(capture, app) ??
    changedSelection(app, kernel, capture) ??
    (options.selfCheck ? (uncheckedReason(folder) ?? otherSize(folder, options.shrink)) : null)
  );
}

/**
 * Reason if the capture was shrunk and should not be, or the reverse: a full capture can be judged by memory that a
 * shrunk one lacks.
 */
function otherSize(folder: string, wanted: boolean): string | null {
  const { shrink } = readJson(selfcheckFile(folder), selfcheckSchema, 'SELFCHECK_MISSING', 'capture it again');
  if (wanted && shrink === undefined) return '--shrink was not asked for when it was made';
  return !wanted && (shrink?.dropped_bytes ?? 0) > 0 ? 'memory was dropped from it, and --shrink is not given' : null;
}

/** Compares digests, not times: a rebuild that gives the same program keeps its captures. */
function changedFile({ app }: CaptureJson, files: readonly AppFile[]): string | null {
  for (const { path, sha256, role } of app.files) {
    const alike = files.filter((file) => file.role === role);
    const named = alike.filter((file) => basename(file.path) === basename(path));
    const there = named.find((file) => file.path === path);
    // A file that moved is the same file. Older captures have only the name of a file outside the workspace.
    const candidates = there === undefined ? named : [there];
    if (candidates.some((file) => file.sha256 === sha256)) continue;
    const [now] = candidates;
    if (now === undefined) return `${path} is not what the app runs now`;
    return now.path === path ? `${path} was rebuilt` : `${path} is another file now (${now.path})`;
  }
  return null;
}

const ranSchema = z.looseObject({ command: z.array(z.string()), environment: z.record(z.string(), z.string()) });

/** The program itself is compared by its digest: it may lie elsewhere. Older captures lack the command. */
function changedCommand({ app: captured }: CaptureJson, { config }: App): string | null {
  const { data: ran } = ranSchema.safeParse(captured);
  if (ran === undefined) return null;
  if (!isDeepStrictEqual(ran.command.slice(1), config.command.slice(1)))
    return `the app ran as ${commandText(ran.command)} then, and is ${commandText(config.command)} now`;
  return isDeepStrictEqual(ran.environment, { ...config.env }) ? null : 'the app ran with another "env" then';
}

const selectionSchema = z.looseObject({ selection: z.strictObject(selectionShape) });

/** The generated project records the selection; without one, only a selection that contradicts the capture shows. */
function changedSelection(
  app: App,
  { name, from: _from, ...wanted }: KernelEntry,
  capture: CaptureJson,
): string | null {
  if (!isMatched(wanted, capture.kernel))
    return `it is of ${capture.kernel.name}, and kernloop.json selects another dispatch: one of a kernel that matches /${wanted.match}/`;
  const only = onlyDispatch(wanted);
  if (only !== null && capture.dispatch.ordinal !== only)
    return `it is dispatch ${capture.dispatch.ordinal} of its kernel, and kernloop.json selects dispatch ${only}`;
  const path = join(reproducerPaths(app.reproducer(name)).pristine, kernelFile);
  if (!existsSync(path)) {
    return isPlain(wanted) ? null : 'what kernloop.json selects is not known of it: no project was generated';
  }
  const { selection } = readJson(path, selectionSchema, 'CONFIG_MISSING', 'generate it again');
  return isDeepStrictEqual({ ...selection }, definedOf(wanted))
    ? null
    : 'what kernloop.json selects has changed since its project was generated';
}

/** Number of the dispatch that an entry selects; null if it selects several, or the last. */
function onlyDispatch({ dispatch, ordinal, each }: Omit<KernelEntry, 'name'>): number | null {
  const dispatches = parseDispatches(dispatch ?? String(ordinal));
  if (!dispatches || 'last' in dispatches || (each !== undefined && each !== 'dispatch')) return null;
  const [first, ...others] = dispatches.ranges;
  return first !== undefined && others.length === 0 && first[0] === first[1] ? first[0] : null;
}

/** Whether an entry selects one dispatch by its number alone. */
function isPlain({ match: _match, ordinal: _ordinal, scope: _scope, ...more }: Omit<KernelEntry, 'name'>): boolean {
  return Object.keys(definedOf(more)).length === 0;
}

function definedOf(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
