import { relative } from 'node:path';
import type { Reproducer } from '../reproducer/reproducer';
import { commandText } from '../support/command-text';
import { ourProgram } from '../support/typed-command';

/** Writes the command that tells something about a reproducer, as it is typed in the root of the workspace. */
export type CommandOn = (verb: string, ...options: readonly string[]) => string;

export const commandOn =
  ({ root, workspaceRoot }: Pick<Reproducer, 'root' | 'workspaceRoot'>): CommandOn =>
  (verb, ...options) =>
    commandText([...ourProgram(), ...verb.split(' '), relative(workspaceRoot, root) || '.', ...options]);
