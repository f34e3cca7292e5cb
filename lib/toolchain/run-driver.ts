import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Deps } from '../deps/deps';
import type { RunOptions, RunResult } from '../support/exec';
import { isExecutable } from '../support/programs';
import { HipccAnswer } from './hipcc-answer';
import { plainShellWords } from './shell-words';

/** Runs a driver; for hipcc the clang that it would start, if known: Perl takes as long as a small kernel. */
export async function runDriver(
  compiler: string,
  args: readonly string[],
  options: RunOptions,
  deps: Pick<Deps, 'run' | 'env'>,
): Promise<RunResult> {
  const answer = new HipccAnswer({ hipcc: compiler, args, env: options.env ?? {} }, deps.env);
  const [clang, ...words] = answer.known() ?? [];
  if (clang !== undefined && isStarted(clang, answer)) return deps.run(clang, words, options).result;
  if (!answer.isKept) return deps.run(compiler, args, options).result;
  return runAndRemember(compiler, args, options, answer, deps);
}

async function runAndRemember(
  hipcc: string,
  args: readonly string[],
  options: RunOptions,
  answer: HipccAnswer,
  deps: Pick<Deps, 'run'>,
): Promise<RunResult> {
  let said = '';
  const env = { ...options.env, HIPCC_VERBOSE: '1' };
  const result = await deps.run(hipcc, args, { ...options, env, onStdout: (chunk) => (said += chunk) }).result;
  // Perl writes this line before or after clang's output.
  const [line = '', command] = /^hipcc-cmd: (.+)\n/m.exec(said) ?? [];
  const others = said.replace(line, () => '');
  if (others !== '') options.onStdout?.(others);
  const started = command === undefined ? null : plainShellWords(command);
  if (result.exitCode === 0 && started && isStarted(started[0] ?? '', answer)) answer.remember(started);
  return result;
}

const isStarted = (clang: string, answer: HipccAnswer): boolean =>
  isAbsolute(clang) && isExecutable(clang) && answer.mayStart(realpathSync(clang));
