import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { freeName } from '../app/free-name';
import { openableApps } from '../app/openable-apps';
import { captureFile, foreignCaptureFiles } from '../archive/capture-files';
import { kernelJsonSchema, type KernelJson } from '../reproducer/kernel-json';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { jsonReader } from '../support/lenient-json';
import { kernelFile } from '../support/project-file-names';
import { findUpward } from '../support/workspace-root';
import { folderName } from './folder-name';

/**
 * The error about a place that is taken, with what to do where that is a project with another capture: one of its own
 * for the capture of `file`.
 */
export function besideProject(error: unknown, capture: string, file: string): unknown {
  if (!(error instanceof KernloopError) || error.code !== 'TARGET_EXISTS') return error;
  const project = kernelJsonSchema.safeParse(jsonReader()(join(dirname(capture), kernelFile))).data;
  const isOther = existsSync(captureFile(capture)) && foreignCaptureFiles(capture).length === 0;
  if (project === undefined || basename(capture) !== 'capture' || !isOther) return error;
  return new KernloopError('TARGET_EXISTS', error.what, hint(project, dirname(capture), file), { cause: error });
}

function hint(project: KernelJson, root: string, file: string): string {
  const workspace = findUpward(root, 'nx.json');
  const app =
    workspace === undefined
      ? undefined
      : openableApps(workspace).find((one) => one.root === join(workspace, project.app.root));
  if (workspace === undefined || app === undefined)
    return `leave it there, and name another folder with --to: unpack then says how to make a project beside ${project.name}`;
  const unpack = commandText(['kernloop', 'unpack', file]);
  const generate = commandText([
    ...['nx', 'g', 'kernloop:reproducer', relative(workspace, resolve(folderName(file)))],
    `--app=${project.app.root}`,
    `--name=${freeName(app, project.name)}`,
  ]);
  return `leave it there, and make a project of this one beside ${project.name}: \`${unpack} && ${generate}\`; or name another folder with --to`;
}
