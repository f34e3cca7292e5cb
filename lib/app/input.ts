import { existsSync, statSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { fileInput, type ProgramInput } from '../support/stdin';
import { type App } from './app';
import { kernloopFile } from '../support/project-file-names';

/**
 * Stdin of the app: the file that its kernloop.json names, else the input given to kernloop; undefined if there is
 * neither.
 */
export function inputOf({ stdin, root }: App, { input }: Pick<Deps, 'input'>): ProgramInput | undefined {
  if (stdin === undefined) return input;
  if (existsSync(stdin) && statSync(stdin).isFile()) return fileInput(stdin);
  throw new KernloopError(
    'FILE_UNREADABLE',
    `${stdin} is no file ("stdin" of ${root}/${kernloopFile})`,
    'name the file that the app reads from stdin, relative to kernloop.json, or leave "stdin" out',
  );
}

/** Last part of the advice on a run that stopped too early, if it asked for input and there was none. */
export function inputHint({ readEmptyStdin }: { readEmptyStdin: boolean }): string {
  return readEmptyStdin
    ? `; its stdin was empty: name a file as "stdin" in ${kernloopFile}, or give it to kernloop itself (\`kernloop capture < file\`; Nx passes none on)`
    : '';
}
