import { relative } from 'node:path';
import { openApp } from '../app/app';
import type { Deps } from '../deps/deps';
import { profileInputs } from '../pgo-merge/inputs';
import { mergeProfiles } from '../pgo/merge';
import { profileDigest } from '../pgo/profile';
import { appPgoPaths } from '../pgo-app/layout';
import { isInside, sha256OfFile, writeJson } from '../support/files';
import { findLlvm } from '../toolchain/find-llvm';
import type { PgoAppMergeOptions } from './options';
import type { PgoAppMergeResult } from './result';

/** One profile of all units of the app, for the one architecture that it ran on. */
export async function pgoAppMerge(options: PgoAppMergeOptions, deps: Deps): Promise<PgoAppMergeResult> {
  const app = openApp(options.app);
  const { profdata, waves, raw, mergeJson } = appPgoPaths(app);
  const inputs = profileInputs(options.input, raw);
  const llvm = await findLlvm(deps, { wantsPlugin: false });
  const { merged, notes } = await mergeProfiles(
    { ...{ inputs, profdata, waves, arch: '' }, mixedSampling: options.mixedSampling, profdataProgram: llvm.profdata },
    deps,
  );
  const shown = (file: string): string => relative(isInside(app.root, file) ? app.root : app.workspaceRoot, file);
  writeJson(mergeJson, {
    schema: 'kernloop.pgo-merge/1',
    arch: merged.arch,
    inputs: inputs.map(({ file, weight }) => ({ name: shown(file), weight, sha256: sha256OfFile(file) })),
    profdata_sha256: sha256OfFile(profdata),
    waves_sha256: sha256OfFile(waves),
  });
  for (const note of notes) deps.report.warn(note);
  const { arch, functions, counters } = merged;
  deps.report.result(
    `${app.config.name}: ${relative(app.root, profdata)} of ${inputs.length} profiles: ${counters} counters in ${functions} functions, for ${arch}`,
  );
  const profileSha256 = profileDigest({ profdata, waves });
  return { app: app.config.name, profile: profdata, waves, profileSha256, arch, functions, counters, notes };
}
