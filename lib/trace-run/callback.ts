import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import type { ProbeSet } from '../probe/probe-set';
import { KernloopError } from '../support/error';

/** Python program that a probe file names, run on each result as Neutrino does. */
export interface Callback {
  readonly name: string;
  readonly script: string;
}

/**
 * A probe file is data, perhaps from others: its program runs only if the user names it, too. Null if it must not run.
 */
export function allowedCallback({ file, path }: ProbeSet, allowed: string | undefined, deps: Deps): Callback | null {
  const name = file.callback;
  if (name === null) {
    if (allowed === undefined) return null;
    throw new KernloopError('USAGE', `${path} has no CALLBACK`, 'leave --allow-callback out');
  }
  if (allowed === undefined) {
    deps.report.warn(`CALLBACK ${name} of ${path} is not run: --allow-callback ${name} allows it`);
    return null;
  }
  if (allowed !== name) {
    throw new KernloopError(
      'USAGE',
      `the CALLBACK of ${path} is ${name}, and --allow-callback allows ${allowed}`,
      'read the program that the file names, and allow that one by its name',
    );
  }
  const script = resolve(dirname(path), name);
  if (existsSync(script)) return { name, script };
  throw new KernloopError(
    'FILE_NOT_FOUND',
    `${script}, the CALLBACK of ${path}, does not exist`,
    'put it beside the probe file, by the name that the file has for it',
  );
}

/**
 * Runs `python3 SCRIPT RESULT` without a shell in the folder of the results. Returns false if it failed, which fails
 * nothing else.
 */
export async function runCallback({ name, script }: Callback, result: string, deps: Deps): Promise<boolean> {
  const ended = await deps.run('python3', [script, result], {
    cwd: dirname(result),
    onStdoutLine: (line) => deps.report.info(`${basename(name)}: ${line}`),
    onStderr: (chunk) => deps.report.output(chunk),
  }).result;
  if (ended.exitCode === 0) return true;
  const how =
    ended.startError === 'ENOENT'
      ? 'there is no python3 on the PATH'
      : `it ended with ${ended.exitCode ?? ended.signal}`;
  deps.report.warn(`CALLBACK ${name} on ${join(basename(dirname(result)), basename(result))}: ${how}`);
  return false;
}
