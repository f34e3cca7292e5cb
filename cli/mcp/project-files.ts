import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { appsIn } from '../../lib/app/apps-in';
import { reproducersIn } from '../../lib/reproducer/reproducers-in';
import { KernloopError } from '../../lib/support/error';
import { kernelFile, kernloopFile } from '../../lib/support/project-file-names';
import { followed, outsideError, type Bounds } from './arguments';

const mostFiles = 2000;

/** Files of an app that a client may read. */
const appFiles = [kernloopFile, join('.kernloop', 'profile.json')];

/** Files whose content is for programs, such as captures and code objects. */
const noText = /\.(pack|hsaco|cubin|co|o|so|gz|xz|zst|klcap|profraw|profdata|pftrace|parquet|arrow)$/;

const hidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** Files of reproducers and apps, by their path in the workspace. */
export function projectFiles(workspace: string): string[] {
  const files = reproducersIn(workspace).flatMap((folder) => filesBelow(folder));
  const ofApps = appsIn(workspace).folders.flatMap((app) => appFiles.map((name) => join(app, name)).filter(existsSync));
  return [...ofApps, ...files].slice(0, mostFiles).map((path) => relative(workspace, path));
}

/** Path of a requested file, if a client may read it. */
export function projectFile(path: string, bounds: Bounds): string {
  const { workspace } = bounds;
  const absolute = join(workspace, path);
  const real = followed(absolute);
  const refuse = (): never => {
    throw outsideError(`"${path}"`, workspace);
  };
  if (path.includes('\0') || path.startsWith('/') || path.split('/').includes('..')) refuse();
  // Links are neither listed nor read: they may lead to anything in the workspace.
  if (!bounds.outside && real !== join(followed(workspace), path)) refuse();
  const parts = path.split('/');
  const folder = parts[0] === 'kernels' ? join(workspace, ...parts.slice(0, 3)) : undefined;
  const isOfReproducer =
    folder !== undefined && existsSync(join(folder, kernelFile)) && !parts.slice(3).some(hidden) && parts.length > 3;
  const isOfApp = appFiles.some((name) => {
    const app = absolute.endsWith(`${sep}${name}`) ? absolute.slice(0, -name.length) : undefined;
    return app !== undefined && existsSync(join(app, kernloopFile));
  });
  if (!isOfReproducer && !isOfApp) {
    throw new KernloopError(
      'FILE_UNREADABLE',
      `"${path}" is no file of a reproducer, nor what an app has of Kernloop`,
      'resources/list names the files that can be read',
    );
  }
  return real;
}

function filesBelow(folder: string): string[] {
  const entries = entriesIn(folder);
  const own = entries
    .filter((entry) => entry.isFile() && !noText.test(entry.name))
    .map(({ name }) => join(folder, name));
  // kernel.json, the variant and the report come before files in folders.
  return [...own, ...foldersIn(folder).flatMap((inner) => filesBelow(inner))];
}

const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));

/** Entries without links, which may lead anywhere and form cycles. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !hidden(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
