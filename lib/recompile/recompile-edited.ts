import { existsSync, rmSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { reportFormat } from '../reproducer/kept-results';
import { reproducerPaths } from '../reproducer/layout';
import { chooseCode, editedFile, openReproducer, placedCode, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { isForeignFile } from '../support/output-file';
import { currentVariant, hasNoAdditions, knowing } from './current-variant';
import type { RecompileOptions } from './options';
import { asJudged, compileVariant, whileNobodyBuilds } from './recompile';
import { builtIn } from './users-build';

/**
 * Recompiles a kernel that is to be replayed, if it was edited since the last build, or if anything else that decides
 * its code has changed. Afterwards the code that a replay chooses is that of the text in the folder. `forgets`: a verdict
 * is asked for, and the last one, of another text, must not outlive a failed compilation.
 */
export async function recompileEdited(options: RecompileOptions, forgets: boolean, deps: Deps): Promise<void> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  if (isReady(reproducer, options, deps)) return;
  await whileNobodyBuilds(reproducer, deps, async () => {
    // Another command may have built it meanwhile.
    if (isReady(reproducer, options, deps)) return;
    if (forgets && !isForeignFile(reproducer.report, reportFormat)) rmSync(reproducer.report, { force: true });
    try {
      await compileVariant(reproducer, asJudged(options, reproducer) ?? asLastBuilt(options, reproducer), deps);
    } catch (error) {
      if (!isBuiltElsewhere(error, reproducer)) throw error;
      deps.report.warn(`${reproducer.config.name} was not built again on this machine: ${error.what}`);
    }
  });
}

/** Whether the code that a replay would choose is that of the text in the folder. */
function isReady(reproducer: Reproducer, options: RecompileOptions, { env }: Pick<Deps, 'env'>): boolean {
  const { root, config, files } = reproducer;
  if (config.language === 'none' || placedCode(reproducer) !== undefined) return true;
  if (!existsSync(reproducerPaths(root).variantJson))
    return editedFile(reproducer) === undefined && hasNoAdditions(root);
  return currentVariant(root, asLastBuilt(options, reproducer), env, knowing(env, files)) !== undefined;
}

/** A build with line information stays one: the user may have asked for it. */
function asLastBuilt(options: RecompileOptions, { root, files }: Reproducer): RecompileOptions {
  const lineInfo = options.lineInfo ?? builtIn(reproducerPaths(root).variantJson, files)?.line_info;
  return { ...options, ...(lineInfo === undefined ? {} : { lineInfo }) };
}

/** A machine without the compiler judges what another machine built, if every source is still the same. */
function isBuiltElsewhere(error: unknown, reproducer: Reproducer): error is KernloopError {
  if (!(error instanceof KernloopError) || !error.code.startsWith('ENVIRONMENT_')) return false;
  try {
    chooseCode(reproducer, undefined);
    return true;
  } catch {
    return false;
  }
}
