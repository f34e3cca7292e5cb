import { join, relative } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { applyEdits, modify } from 'jsonc-parser';
import type { Deps } from '../deps/deps';
import { quiet } from '../deps/quiet';
import { recompile } from '../recompile/recompile';
import { recompileOptionsSchema } from '../recompile/options';
import { variantName } from '../language/languages';
import type { Reproducer } from '../reproducer/reproducer';
import { asKernloopError, KernloopError } from '../support/error';
import { kernelFile } from '../support/project-file-names';
import { validate } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { beginApplying, changedSince, keepChanges, takeBack, undoHint, writeChanges, type Change } from './applying';
import type { Snapshot } from '../candidate/snapshot';
import type { Variation } from './subject';
import { readRegularFile } from '../support/regular-file';

/** Changes that write a configuration into the reproducer. */
export function changesOf(
  { root, config }: Reproducer,
  snapshot: Snapshot,
  { files, configuration }: Variation,
): Change[] {
  const changes = Object.entries(files).map(([name, after]) => ({ name, before: snapshot.read(name), after }));
  const before = readRegularFile(join(root, kernelFile), 'utf8');
  const isSame = JSON.stringify(configuration) === JSON.stringify(config.configuration);
  const edits = isSame
    ? []
    : modify(before, ['configuration'], configuration, { formattingOptions: { insertSpaces: true, tabSize: 2 } });
  return [...changes, { name: kernelFile, before, after: applyEdits(before, edits) }].filter(
    (change) => change.before !== change.after,
  );
}

/** Patch for `patch -p1` and `git apply` in the reproducer's folder. */
export const patchText = (changes: readonly Change[]): string =>
  changes.map(({ name, before, after }) => createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after)).join('');

/** Writes the changes and keeps them only if the reproducer then passes by itself. */
export async function applyChanges(
  reproducer: Reproducer,
  changes: readonly Change[],
  judging: object,
  deps: Deps,
): Promise<string[]> {
  const { root, config } = reproducer;
  const touched = changes.find(({ name, before }) => readRegularFile(join(root, name), 'utf8') !== before);
  if (touched) {
    throw new KernloopError(
      'TUNE_NOT_APPLIED',
      `${touched.name} was changed while the search ran`,
      'run it once more: what was tried before is tried again where that file decides',
    );
  }
  beginApplying(root, changes);
  try {
    writeChanges(root, changes);
    await recompile(recompileOptionsSchema.parse({ reproducer: root }), quiet(deps));
    const variant = join(
      'build',
      variantName(config.language === 'none' ? 'hip' : config.language, config.device.kind),
    );
    // The command opened the project before it was changed.
    const anew = { ...deps, opened: undefined };
    const report = await validate(validateOptionsSchema.parse({ ...judging, reproducer: root, variant }), anew);
    if (report.exit_code !== 0) {
      throw new KernloopError(
        'TUNE_NOT_APPLIED',
        `with it the reproducer does not pass: ${report.summary}`,
        'run it once more with --fresh; if it stays, report it',
      );
    }
    if (changedSince(root, changes).length > 0) {
      throw new KernloopError('TUNE_NOT_APPLIED', 'what passed is not what lies there now', 'run it once more');
    }
    keepChanges(root);
    return changes.map(({ name }) => relative(process.cwd(), join(root, name)));
  } catch (error) {
    throw withLeft(error, takeBack(root, changes));
  }
}

/** Adds to the error the files that were not restored, because the user has edited them since. */
function withLeft(error: unknown, left: readonly string[]): unknown {
  if (left.length === 0) return error;
  const { code, what } = asKernloopError(error);
  const edited = `${left.join(', ')} was changed while tune judged what it had written, and is left as it is now`;
  const reported = code === 'VARIANT_STALE' ? 'TUNE_NOT_APPLIED' : code;
  return new KernloopError(reported, `${what}; ${edited}`, `run it once more; ${undoHint}`, { cause: error });
}
