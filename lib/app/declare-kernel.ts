import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Deps } from '../deps/deps';
import { takeLock } from '../deps/lock';
import { editJsonText } from '../support/edit-json';
import { KernloopError } from '../support/error';
import { writeFileAtomic } from '../support/files';
import { escaped } from '../support/patterns';
import { kernloopFile } from '../support/project-file-names';
import { describeIssues, parseJson } from '../support/schema';
import { kernelEntrySchema, kernloopJsonSchema } from './kernloop-json';

/** A kernel as a user writes it, without defaults. */
export type DeclaredKernel = z.input<typeof kernelEntrySchema>;

/** Pattern for functions with exactly this name, in any namespace, template or not. */
export function matchOf(name: string): string {
  return `(^|[ :])${escaped(name)}([<(]|$)`;
}

/** Text of a kernloop.json with one more kernel. A name that is declared already is refused. */
export function withKernel(text: string, kernel: DeclaredKernel): string {
  const { kernels } = parseJson(kernloopFile, text, kernloopJsonSchema);
  const checked = kernelEntrySchema.safeParse(kernel);
  if (!checked.success) {
    throw new KernloopError(
      'USAGE',
      `"kernels" of ${kernloopFile}: ${describeIssues(checked.error)}`,
      'correct the value',
    );
  }
  const declared = kernels.find(({ name }) => name === kernel.name);
  if (declared) {
    throw new KernloopError(
      'USAGE',
      `${kernloopFile} declares "${kernel.name}" already, as ${declared.match}`,
      'choose another name, or edit that entry',
    );
  }
  const edited =
    kernels.length === 0
      ? editJsonText(text, ['kernels'], [kernel])
      : editJsonText(text, ['kernels', kernels.length], kernel);
  // If a key is there twice, readers take the last value and the edit may change the first.
  const after = parseJson(kernloopFile, edited, kernloopJsonSchema).kernels;
  if (!isDeepStrictEqual(after, [...kernels, checked.data])) {
    throw new KernloopError(
      'CONFIG_INVALID',
      `"${kernel.name}" cannot be added to "kernels" of ${kernloopFile}: the key "kernels" is there twice`,
      'leave one "kernels" with all entries in the file',
    );
  }
  return edited;
}

/**
 * Writes what `edit` makes of a kernloop.json, which it reads, while no other command does: of two at once, one would
 * lose the entry of the other. A symbolic link stays one, and the file that it names is written. A folder that cannot
 * be locked is used without, with a warning. Nothing is written if `edit` returns undefined.
 */
export async function rewriteKernloopJson(file: string, deps: Deps, edit: () => string | undefined): Promise<boolean> {
  const target = existsSync(file) ? realpathSync(file) : file;
  const taken = await takeLock(dirname(target), { name: target, use: 'another command edits' }, deps);
  if ('refused' in taken) {
    deps.report.warn(
      `${dirname(target)} cannot be locked (${taken.refused}): let no other command declare kernels there meanwhile`,
    );
  }
  try {
    const text = edit();
    if (text !== undefined) writeFileAtomic(target, text);
    return text !== undefined;
  } finally {
    if ('release' in taken) await taken.release();
  }
}
