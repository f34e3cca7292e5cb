import { relative } from 'node:path';
import type { Deps } from '../deps/deps';
import { profiledArchitecture, readRecipe } from '../pgo/compile';
import { pgoPaths } from '../pgo/layout';
import { mergeProfiles } from '../pgo/merge';
import { profileDigest } from '../pgo/profile';
import { openReproducer } from '../reproducer/reproducer';
import { isInside, sha256OfFile, writeJson } from '../support/files';
import { findLlvm } from '../toolchain/find-llvm';
import { profileHalves } from './inputs';
import type { PgoMergeOptions } from './options';
import type { PgoMergeResult } from './result';

/** Merges raw profiles of any number of runs into one for the compiler, with its side file. */
export async function pgoMerge(options: PgoMergeOptions, deps: Deps): Promise<PgoMergeResult> {
  const reproducer = openReproducer(options.reproducer);
  const recipe = readRecipe(reproducer);
  const paths = pgoPaths(reproducer.root);
  const { device: inputs } = profileHalves(options.input, paths.raw);
  const llvm = await findLlvm(deps, { wantsPlugin: false });
  const { merged, notes } = await mergeProfiles(
    {
      inputs,
      arch: profiledArchitecture(recipe),
      mixedSampling: options.mixedSampling,
      profdata: paths.profdata,
      waves: paths.waves,
      profdataProgram: llvm.profdata,
    },
    deps,
  );
  const shown = (file: string): string =>
    isInside(reproducer.root, file) ? relative(reproducer.root, file) : relative(reproducer.workspaceRoot, file);
  writeJson(paths.mergeJson, {
    schema: 'kernloop.pgo-merge/1',
    arch: merged.arch,
    inputs: inputs.map(({ file, weight }) => ({ name: shown(file), weight, sha256: sha256OfFile(file) })),
    profdata_sha256: sha256OfFile(paths.profdata),
    waves_sha256: sha256OfFile(paths.waves),
  });
  for (const note of notes) deps.report.warn(note);
  deps.report.result(
    `${reproducer.config.name}: pgo/merged.profdata of ${inputs.length} raw ${inputs.length === 1 ? 'profile' : 'profiles'}: ` +
      `${merged.counters} counters in ${merged.functions} ${merged.functions === 1 ? 'function' : 'functions'}, for ${merged.arch}`,
  );
  return {
    kernel: reproducer.config.name,
    profile: paths.profdata,
    waves: paths.waves,
    profile_sha256: profileDigest(paths),
    arch: merged.arch,
    inputs: inputs.map(({ file, weight }) => ({ file, weight })),
    functions: merged.functions,
    counters: merged.counters,
    notes,
  };
}
