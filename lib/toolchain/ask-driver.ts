import { realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import type { RunOptions } from '../support/exec';
import { throwIfInterrupted } from '../support/interrupted';
import { isExecutable } from '../support/programs';
import type { CompileRequest } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import { driverCommands } from './driver-commands';
import { HipccAnswer } from './hipcc-answer';
import type { CompileDeps } from './run-compiler';
import { plainShellWords } from './shell-words';

/**
 * The commands that the driver would run; null where it does not say. hipcc is asked once which clang it starts, and how. That clang is asked every
 * time: its commands depend on the headers, libraries and linkers that the machine has.
 */
export async function askDriver(
  request: CompileRequest,
  output: string,
  driverArguments: readonly string[],
  deps: CompileDeps,
): Promise<string[][] | null> {
  const { compiler, recipe, reproducer: cwd, limitSeconds } = request;
  const env = compilerEnvironment(recipe.environment);
  const args = [...driverArguments, '-###'];
  const ask = async (program: string, words: readonly string[], options: RunOptions): Promise<string[][] | null> => {
    let printed = '';
    const onStderr = (chunk: string): void => void (printed += chunk);
    const ended = await deps.run(program, words, { cwd, timeoutMs: limitSeconds * 1000, onStderr, ...options }).result;
    throwIfInterrupted(deps.signal);
    return ended.exitCode === 0 ? driverCommands(printed) : null;
  };

  // The name of the output has the process in it.
  const template = (words: readonly string[]): string[] => words.map((word) => word.replaceAll(output, placeholder));
  const answer = new HipccAnswer(
    { hipcc: compiler.path, args: [request.output, ...template(args)], env, cwd },
    deps.env,
  );
  const [clang, ...rest] = (answer.known() ?? []).map((word) => word.replaceAll(placeholder, output));
  if (clang !== undefined && isStarted(clang, answer)) {
    const commands = await ask(clang, rest, { env });
    if (commands !== null) return commands;
  }

  let said = '';
  const onStdout = (chunk: string): void => void (said += chunk);
  const commands = await ask(compiler.path, args, { env: { ...env, HIPCC_VERBOSE: '1' }, onStdout });
  const words = commands && startedWords(said);
  const isTold = [...args, ...(words ?? [])].every(
    (word) => !word.includes(placeholder) && !word.replaceAll(output, '').includes(basename(output)),
  );
  if (words && isTold && isStarted(words[0] ?? '', answer)) answer.remember(template(words));
  return commands;
}

const placeholder = '{output}';

const isStarted = (clang: string, answer: HipccAnswer): boolean =>
  isAbsolute(clang) && isExecutable(clang) && answer.mayStart(realpathSync(clang));

/** hipcc hands this line to a shell. */
function startedWords(said: string): string[] | null {
  const [, line] = /^hipcc-cmd: (.+)\n$/.exec(said) ?? [];
  return line === undefined ? null : plainShellWords(line);
}
