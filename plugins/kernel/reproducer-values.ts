import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { jsonReader, type JsonReader } from '../../lib/support/lenient-json';
import { ReadOnce } from '../../lib/support/read-once';
import { builtValue } from '../../lib/task-inputs/built-value';
import { judgedValue } from '../../lib/task-inputs/judged-value';
import { builtFile, judgedFile, unknownValue } from '../../lib/task-inputs/value-files';
import { trackedVariants } from './tracked-variants';
import type { TaskValues } from './task-values';
import type { Environment } from '../../lib/support/environment';

/**
 * Variable with the values of `--variant` that the digests below cover; the executor refuses others
 * (executors/tracked.ts).
 */
export const trackedVariable = 'KERNLOOP_TRACKED_VARIANTS';

/**
 * Nx hashes the files of a project that git shows: no ignored file, no content behind a link, nothing outside, and a
 * file with unchanged time by its old digest. Files that decide a verdict are therefore hashed here, before the tasks
 * of a command; the tasks compare the digests with the files they find (executors/unchanged.ts).
 */
export function reproducerValues(
  kernelFiles: readonly string[],
  workspaceRoot: string,
  argv: readonly string[],
  env: Environment,
  toolchain: string,
  // An app may have thousands of kernels, and system headers are the same for all of them.
  files = new ReadOnce(),
  json: JsonReader = jsonReader(files.jsonIn),
): { values: TaskValues; tracked: readonly string[] } {
  const known = { digestOf: files.digestOf, isThere: files.isThere, toolchain, opened: files };
  const named = new Set<string>();
  const entries = kernelFiles.flatMap((file): [string, string][] => {
    const folder = join(workspaceRoot, dirname(file));
    const root = dirname(file);
    const variants = trackedVariants(folder, json(join(workspaceRoot, 'nx.json')), argv, env, json);
    for (const variant of variants) named.add(variant);
    return [
      [builtFile(root), orFresh(() => builtValue(folder, env, known))],
      [judgedFile(root), orFresh(() => judgedValue(folder, workspaceRoot, variants, files, json))],
    ];
  });
  return { values: Object.fromEntries(entries), tracked: [...named].sort() };
}

/** A random value, which no cache entry has, if something is unknown or has to be done: then the task runs. */
function orFresh(value: () => string | undefined): string {
  const fresh = unknownValue(randomUUID());
  try {
    return value() ?? fresh;
  } catch {
    // The task runs and reports the error.
    return fresh;
  }
}
