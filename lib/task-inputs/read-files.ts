import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { databaseFile, programFile } from '../app/app';
import type { TaskInput } from '../stage/task';
import { resultFiles } from '../stage/writes';
import { sha256OfFile } from '../support/files';
import { kernelFile, kernloopFile } from '../support/project-file-names';

/** Folders with the inputs of a task: its project, and for an app the reproducers of its kernels. */
export interface TaskFolders {
  readonly root: string;
  readonly reproducers: readonly string[];
}

/**
 * Files that a task reads according to the inputs in its descriptor: outputs of other tasks, and results of stages.
 * Files that the user edits are covered by a value (value-files.ts).
 */
export function readFiles(inputs: readonly TaskInput[], { root, reproducers }: TaskFolders): string[] {
  return inputs.flatMap((input): string[] => {
    if (typeof input === 'object') return 'written' in input ? matching(root, input.written) : [];
    switch (input) {
      case 'app':
        return [join(root, kernloopFile)];
      case 'program':
        return [join(root, programFile)];
      case 'compileCommands':
        return [join(root, databaseFile)];
      case 'reproducer':
        return [join(root, kernelFile)];
      case 'capture':
        return reproducers.flatMap((folder) =>
          ['capture', 'captures/*'].flatMap((capture) =>
            ['capture', 'selfcheck'].flatMap((name) => matching(folder, `${capture}/${name}.json`)),
          ),
        );
      case 'variant':
        return ['json', 'hsaco', 'cubin'].map((extension) => join(root, 'build', `variant.${extension}`));
      case 'results':
        return resultFiles.flatMap((pattern) => matching(root, pattern));
      default:
        return [];
    }
  });
}

/** Digests by path. */
export function digestsOf(
  paths: readonly string[],
  digestOf: (path: string) => string = sha256OfFile,
): ReadonlyMap<string, string> {
  return new Map(paths.map((path) => [path, isFile(path) ? digestOf(path) : 'none']));
}

/** The first file that changed, disappeared or is new; null if there is none. */
export function changedFile(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string | null {
  return [...new Set([...before.keys(), ...now.keys()])].find((path) => before.get(path) !== now.get(path)) ?? null;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Expands `*`, a name or a part of one, and `**`, any folders. */
function matching(root: string, pattern: string): string[] {
  const folders = dirname(pattern) === '.' ? [root] : foldersOf(root, dirname(pattern));
  const name = new RegExp(`^${basename(pattern).replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((each) => name.test(each))
      .map((each) => join(folder, each)),
  );
}

function foldersOf(root: string, pattern: string): string[] {
  const [first = '', ...rest] = pattern.split('/');
  const folders =
    first === '**'
      ? [root, ...foldersBelow(root)]
      : first === '*'
        ? namesIn(root).map((name) => join(root, name))
        : [join(root, first)];
  return rest.length === 0 ? folders : folders.flatMap((folder) => foldersOf(folder, rest.join('/')));
}

const foldersBelow = (folder: string): string[] =>
  namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
    .flatMap((path) => [path, ...foldersBelow(path)]);

function namesIn(folder: string): string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder).sort() : [];
}
