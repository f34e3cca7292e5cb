import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { sha256OfFile } from '../../lib/support/files';
import { jsonReader, memoised, type JsonReader } from '../../lib/support/lenient-json';
import { builtValue } from '../../lib/task-inputs/built-value';
import { judgedValue } from '../../lib/task-inputs/judged-value';
import { builtFile, judgedFile, unknownValue } from '../../lib/task-inputs/value-files';
import { trackedVariants } from './tracked-variants';
import type { TaskValues } from './task-values';
import type { Environment } from '../../lib/support/environment';

/** Which values of `--variant` the digests below know; the executor refuses others (executors/tracked.ts). */
export const trackedVariable = 'KERNLOOP_TRACKED_VARIANTS';

/**
 * Nx hashes what git shows of a project: no ignored file, no content behind a link, nothing outside, and a file of the same time as before
 * by its old digest. What decides a verdict is therefore hashed here, from the files themselves, before the tasks of a command; the tasks
 * compare it with what they find (executors/unchanged.ts).
 */
export function reproducerValues(
  kernelFiles: readonly string[],
  workspaceRoot: string,
  argv: readonly string[],
  env: Environment,
  toolchain: string,
  // An app may have thousands of kernels.
  json: JsonReader = jsonReader(),
): { values: TaskValues; tracked: readonly string[] } {
  // Headers of the system are the same for all.
  const known = { digestOf: memoised(sha256OfFile), toolchain };
  const named = new Set<string>();
  const entries = kernelFiles.flatMap((file): [string, string][] => {
    const folder = join(workspaceRoot, dirname(file));
    const root = dirname(file);
    const variants = trackedVariants(folder, json(join(workspaceRoot, 'nx.json')), argv, env, json);
    for (const variant of variants) named.add(variant);
    return [
      [builtFile(root), orFresh(() => builtValue(folder, env, known))],
      [judgedFile(root), orFresh(() => judgedValue(folder, workspaceRoot, variants, known.digestOf, json))],
    ];
  });
  return { values: Object.fromEntries(entries), tracked: [...named].sort() };
}

/** A value that no cache entry has, where something is not known or has to be done: then it is no hit, whatever else is equal. */
function orFresh(value: () => string | undefined): string {
  const fresh = unknownValue(randomUUID());
  try {
    return value() ?? fresh;
  } catch {
    // The task runs, and says what is wrong.
    return fresh;
  }
}
