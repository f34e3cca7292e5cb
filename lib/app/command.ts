import { isAbsolute, join } from 'node:path';
import { KernloopError } from '../support/error';
import { shellWords } from '../toolchain/shell-words';
import type { Detected } from './detect';
import { refuseSource } from './source-file';
import type { WorkspaceFiles } from './workspace-files';

/** Asks a person at a terminal; returns one of the choices, or the text typed instead. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string>;

/** The command to run: given, detected, or answered. A source file is refused with how to compile it for `processor`. */
export async function commandOf(
  tree: WorkspaceFiles,
  directory: string,
  given: readonly string[],
  detected: Detected,
  ask: Ask | undefined,
  processor?: string,
): Promise<string[]> {
  const told = given.length > 0 ? given : [await chosenProgram(detected, directory, ask)];
  return startable(tree, directory, inWords(tree, directory, told), processor);
}

async function chosenProgram(detected: Detected, directory: string, ask: Ask | undefined): Promise<string> {
  const { programs, expected, scripts, build } = detected;
  const found = [programs, expected, scripts].find((list) => list.length > 0) ?? [];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (ask) {
    const question = `Which program of ${directory} is it, with its arguments?`;
    const answer = await ask(question, found);
    if (answer !== '') return answer;
  }
  const name = `name the program and its arguments, e.g. --command="${found[0] ?? 'build/app'} --size 3"`;
  if (found.length > 0)
    throw new KernloopError('USAGE', `several programs were found: ${found.slice(0, 8).join(', ')}`, name);
  const none = `no program was found below ${directory}`;
  if (!build) throw new KernloopError('USAGE', none, `${name}, or build the app first`);
  throw new KernloopError(
    'USAGE',
    `${none}, which is not built yet`,
    `build it once with ${buildWords(build)} in ${directory}, and run this again; or name the program that the build makes, e.g. --command="build/app --size 3"`,
  );
}

/** Commands of a build, for people: "`make`". */
export function buildWords({ configure, command }: NonNullable<Detected['build']>): string {
  const steps = [...(configure ? [configure] : []), command];
  return steps.map((step) => `\`${step.join(' ')}\``).join(' and ');
}

/** Splits a single line into words like a shell; several words stay. */
function inWords(tree: WorkspaceFiles, directory: string, told: readonly string[]): string[] {
  const [line = ''] = told;
  const isLine = told.length === 1 && !tree.isFile(join(directory, line));
  return isLine ? shellWords(line) : [...told];
}

/**
 * A program without a slash is searched on the PATH, so one in the app's folder gets `./`; a script gets its
 * interpreter.
 */
function startable(
  tree: WorkspaceFiles,
  directory: string,
  [program = '', ...args]: readonly string[],
  processor: string | undefined,
): string[] {
  const isHere = !isAbsolute(program) && tree.isFile(join(directory, program));
  if (isHere && program.endsWith('.py') && !program.startsWith('./')) return ['python3', program, ...args];
  if (isHere) refuseSource(program, tree.read(join(directory, program)) ?? Buffer.alloc(0), processor);
  return [isHere && !program.includes('/') ? `./${program}` : program, ...args];
}
