import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { foldersIn } from '../app/apps-in';
import { kernelFile } from '../support/project-file-names';

/** Folders of the reproducers of a workspace, where they are generated: kernels/<app>/<kernel>. */
export const reproducersIn = (workspaceRoot: string): string[] =>
  foldersIn(join(workspaceRoot, 'kernels'))
    .flatMap(foldersIn)
    .filter((folder) => existsSync(join(folder, kernelFile)));
