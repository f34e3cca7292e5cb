import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { KernloopError, nearest } from '../support/error';
import { kernloopFile } from '../support/project-file-names';
import { processorOf } from '../toolchain/target';
import { isExecutable, isReadable, pathFolders, programsIn } from '../support/programs';
import { openApp, type App } from './app';
import { keptInterpreter } from './interpreter';
import { beginOf, hasSourceName, refuseSource, sourceHint, sourceOf } from './source-file';
import type { Environment } from '../support/environment';

/**
 * Absolute path of the app's program, checked before anything starts. A Python without a path is the one of the app's
 * captures, if that is in an environment and none is active.
 */
export function findProgram(app: App, env: Environment, isa?: string): string {
  const processor = isa?.startsWith('amdgcn-') === true ? processorOf(isa) : undefined;
  const [program = ''] = app.config.command;
  const file = join(app.root, kernloopFile);
  // Without the file, or with another command in it, the user has typed this one.
  const isTyped = (): boolean =>
    !existsSync(file) || !isDeepStrictEqual(openApp(app.root).config.command, app.config.command);
  if (!program.includes('/'))
    return keptInterpreter(app, env) ?? searchPath(program, app.config.env['PATH'] ?? env['PATH'] ?? '', isTyped);
  const path = resolve(app.cwd, program);
  if (!existsSync(path)) {
    const names = namesIn(dirname(path));
    const source = sourceOf(basename(path), names);
    if (source !== undefined)
      throw new KernloopError(
        'APP_NOT_FOUND',
        `${path} does not exist${isTyped() ? '' : ` ("command" of ${file})`}: it is not built, and ${source} is there`,
        sourceHint(join(dirname(program), source), processor),
      );
    const programs = names.filter((name) => !hasSourceName(name));
    const close = nearest(basename(path), programs, 1);
    throw new KernloopError(
      'APP_NOT_FOUND',
      `${path} does not exist${isTyped() ? '' : ` ("command" of ${file})`}`,
      close[0]
        ? `did you mean ${dirname(program)}/${close[0]}?`
        : isTyped()
          ? 'build the program first'
          : 'build the app, or correct "command"; a program with a slash is relative to "cwd"',
    );
  }
  if (isReadable(path)) refuseSource(program, beginOf(path), processor);
  if (!isExecutable(path)) {
    throw new KernloopError(
      'APP_NOT_FOUND',
      `${path} is not an executable file`,
      isTyped()
        ? `make it executable (\`chmod +x ${program}\`), or name its interpreter before it`
        : 'correct "command", or make it executable',
    );
  }
  return path;
}

function searchPath(program: string, path: string, isTyped: () => boolean): string {
  const [found] = programsIn(pathFolders(path), program);
  if (found !== undefined) return found;
  throw new KernloopError(
    'APP_NOT_FOUND',
    `"${program}" is not on the PATH`,
    `write ./${program}${isTyped() ? '' : ' in "command"'} for a program in the app's own folder`,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, 1000);
  } catch {
    return [];
  }
}
