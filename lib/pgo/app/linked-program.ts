import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../../app/app';
import { KernloopError } from '../../support/error';
import { isInside } from '../../support/files';
import { isExecutable } from '../../support/programs';

/**
 * The newly linked file replaces the program that the command starts and gets the rest of the command as arguments. A
 * wrapper (`sh run build/app`, `timeout 60 build/app`) is not the app's program, so it is refused. `isLinked`: the
 * app's build says that it links this very file.
 */
export function requireLinkedProgram(app: App, program: string, isLinked: boolean): void {
  if (isLinked) return;
  const own = (path: string): boolean => isInside(app.workspaceRoot, path) && isExecutable(path);
  const behind = app.config.command.slice(1).find((word) => own(resolve(app.cwd, word)));
  if (isInside(app.workspaceRoot, program) && isElf(program) && behind === undefined) return;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `"command" of ${app.config.name} starts ${program}${behind === undefined ? '' : `, which is given ${behind}`}: PGO takes the place of a program that the app's build links, not of one that starts it`,
    'make the program itself the first word of "command" (variables go into "env"), in a kernloop.json of its own if need be; or take the kernels one by one: `kernloop pgo-use` in their reproducers',
  );
}

function isElf(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(4);
    return readSync(file, head) === head.length && head.readUInt32BE(0) === 0x7f454c46;
  } finally {
    closeSync(file);
  }
}
