import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openApp, type App } from '../app/app';
import { readCapture } from '../archive/capture-files';
import { requireOwnPlace } from '../capture/owner';
import type { Deps } from '../deps/deps';
import { withKnownKernels } from '../profile/known-kernels';
import { noteAdopted } from '../reproducer/adopted-files';
import { reproducerPaths } from '../reproducer/layout';
import { removeLeftovers } from '../reproducer/leftovers';
import type { CompiledUnits } from '../toolchain/compiled-units';
import { warnOfVariablesSetAside } from '../toolchain/compiler-environment';
import { noDatabaseNote } from '../toolchain/recipe';
import { sourceOf } from './find-source';
import { refuseForeignFiles } from './foreign-files';
import type { GenerateOptions } from './options';
import { writeProjectFiles } from './pristine';
import { keepReads } from './kept-reads';
import { isIdentical, isSameCode } from './prove';
import type { PristineRequest } from './request';
import { partialOf } from '../support/leftovers';
import { ReadOnce } from '../support/read-once';
import type { GenerateResult } from './result';
import { resetFolder } from './scratch';

/** Knowledge that a caller has of the app and its captures. */
interface GenerateContext {
  units?: CompiledUnits;
  app?: App;
  files?: ReadOnce;
}

/** Writes `pristine/`: the kernel's source as a project of its own, proven by compiling it. */
export async function generate(
  options: GenerateOptions,
  deps: Deps,
  { units, app = openApp(options.app, deps.opened), files = new ReadOnce() }: GenerateContext = {},
): Promise<GenerateResult> {
  warnOfVariablesSetAside(deps);
  const kernel = withKnownKernels(app, deps.env, () => app.kernel(options.kernel));
  const captureFolder = app.capture(kernel.name);
  requireOwnPlace(app, kernel.name, captureFolder, files);
  const { pristine } = reproducerPaths(app.reproducer(kernel.name));
  const folder = partialOf(pristine);
  refuseForeignFiles(pristine);
  removeLeftovers(dirname(pristine));
  try {
    const request = {
      ...options,
      app,
      kernel,
      captureFolder,
      capture: readCapture(captureFolder, files),
      folder,
      units,
    };
    const result = await buildPristine(request, deps);
    // Checks again, because the user may have edited files during the compilation.
    refuseForeignFiles(pristine);
    keepReads(pristine, folder);
    // adopt brings up to date what is as in the pristine/ that goes now.
    noteAdopted(dirname(pristine));
    rmSync(pristine, { recursive: true, force: true });
    renameSync(folder, pristine);
    return { ...result, pristine };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does the work of `generate` in any folder. */
export async function buildPristine(request: PristineRequest, deps: Deps): Promise<Omit<GenerateResult, 'pristine'>> {
  const { kernel, folder } = request;
  const { found, noSource } = await sourceOf(request, deps);
  if (found === null) resetFolder(folder);
  const files = writeProjectFiles({ ...request, found, noSource });
  const result = {
    kernel: kernel.name,
    language: found?.recipe.language ?? ('none' as const),
    source: found && found.file,
    files,
    identical: found && isIdentical(found),
    same_machine_code: found && isSameCode(found),
    notes: found?.recipe.notes ?? [],
    no_source: noSource,
  };
  describe(result, deps);
  return result;
}

function describe(result: Omit<GenerateResult, 'pristine'>, deps: Deps): void {
  if (result.no_source !== null) {
    deps.report.warn(
      `${result.no_source.code}: ${result.no_source.reason}: the reproducer of ${result.kernel} has no source, ` +
        `so the captured code can be replayed and validated, but not recompiled. What to do: ${result.no_source.hint}`,
    );
    return;
  }
  // A warning says it where it makes a difference (search-source.ts).
  const notes = result.notes.filter((note) => !note.startsWith(noDatabaseNote));
  for (const note of notes) deps.report.info(`note: ${note}`);
  const verdict = result.identical
    ? 'recompiles to the captured code object, byte for byte'
    : result.same_machine_code
      ? 'recompiles to the captured kernel, with the same machine code'
      : 'compiles to a kernel of that name, but not to the captured code';
  deps.report.result(`${result.kernel}: ${result.source ?? ''} and ${result.files.length} files in all; ${verdict}`);
}
