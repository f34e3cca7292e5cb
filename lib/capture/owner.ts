import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { type App } from '../app/app';
import { reproducerPaths } from '../reproducer/layout';
import { KernloopError } from '../support/error';
import { isInside } from '../support/files';
import { taken } from '../support/output-file';
import type { ReadOnce } from '../support/read-once';
import { readJson } from '../support/schema';
import { captureFile, foreignCaptureFiles } from '../archive/capture-files';
import { outputsOf } from './selection';
import { kernloopFile, kernelFile } from '../support/project-file-names';

/** App that wrote a file: its name, and its folder relative to the workspace, which older captures lack. */
interface Owner {
  name?: string | undefined;
  root?: string | undefined;
}

const kernelOwnerSchema = z.looseObject({ app: z.looseObject({ name: z.string(), root: z.string() }) });
const captureOwnerSchema = z.looseObject({
  app: z.looseObject({ name: z.string().optional(), root: z.string().optional() }),
});

/**
 * Refuses a folder that another app with the same name wrote: its files are neither replaced nor mixed with.
 * kernel.json names the owner of a reproducer, even if its capture came from elsewhere; without one, the captures do.
 */
export function requireOwnPlace(app: App, kernel: string, output = app.capture(kernel), files?: ReadOnce): void {
  const { root, kernelJson, pristine, capture } = reproducerPaths(app.reproducer(kernel));
  const declared =
    output === capture ? ownersIn([kernelJson, join(pristine, kernelFile)], kernelOwnerSchema, files) : [];
  const captured = [output, ...foldersIn(outputsOf(output))].map(captureFile);
  const owners = declared.length > 0 ? declared : ownersIn(captured, captureOwnerSchema, files);
  const other = owners.find(({ owner }) => isForeign(owner, app));
  if (other) throw foreign(output === capture ? root : output, other.path, other.owner, app);
}

/** Refuses to replace other files with names of capture files, in `capture` and in `captures/<ordinal>`. */
export function requireCapturePlace(output: string): void {
  const there = statSync(output, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) throw taken(`${output} is no folder`);
  // A capture replaces its folder, which would leave the shell in a removed one.
  if (isInside(output, process.cwd()))
    throw taken(
      `${output} is ${output === process.cwd() ? 'the working folder' : 'above the working folder'}, which a capture would replace`,
      `run the command in another folder, or name one in this: --output ${join(output, 'capture')}`,
    );
  const numbered = foldersIn(outputsOf(output)).filter((folder) => /^\d+$/.test(basename(folder)));
  const [foreign] = [output, ...numbered].flatMap(foreignCaptureFiles);
  if (foreign !== undefined)
    throw taken(`${foreign} is there already, and no capture wrote it`, 'move it away, and run the command again');
}

function foldersIn(folder: string): string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Skips unreadable files; the stages that need them report the error. */
function ownersIn(
  paths: readonly string[],
  schema: typeof kernelOwnerSchema | typeof captureOwnerSchema,
  files: ReadOnce | undefined,
): { path: string; owner: Owner }[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, owner: readJson(path, schema, 'FILE_UNREADABLE', '', files).app }];
    } catch {
      return [];
    }
  });
}

/** An app that was moved or renamed stays the same app: its old folder has no kernloop.json any more. */
function isForeign({ name, root }: Owner, app: App): boolean {
  if (root === undefined) return name !== undefined && name !== app.config.name;
  return root !== rootOf(app) && existsSync(join(app.workspaceRoot, root, kernloopFile));
}

const rootOf = ({ workspaceRoot, root }: Pick<App, 'workspaceRoot' | 'root'>): string =>
  relative(workspaceRoot, root) || '.';

function foreign(folder: string, path: string, { name, root }: Owner, app: App): KernloopError {
  const shown = relative(app.workspaceRoot, folder) || '.';
  const other = root === undefined ? `the app "${name ?? ''}"` : `the app in ${root}`;
  return new KernloopError(
    'APP_CONFLICT',
    `${shown} belongs to ${other} (${relative(app.workspaceRoot, path)} says so), and ${app.config.name} in ${rootOf(app)} would write over it`,
    `give one of the two another "name" in its ${kernloopFile}; or, if it is of no use any more, remove ${shown}`,
  );
}
