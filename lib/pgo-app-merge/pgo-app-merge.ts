import { renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import type { Deps } from '../deps/deps';
import { profileHalves } from '../pgo-merge/inputs';
import { mergeProfiles } from '../pgo/merge';
import { profileDigest } from '../pgo/profile';
import { mergeHostProfiles } from '../pgo-app/host-half';
import { appPgoPaths } from '../pgo-app/layout';
import { isInside, sha256OfFile, writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import { findLlvm } from '../toolchain/find-llvm';
import type { PgoAppMergeOptions } from './options';
import type { PgoAppMergeResult } from './result';

/**
 * Merges one profile of all units of the app, for the one architecture that it ran on, and one of its host code if that
 * was counted.
 */
export async function pgoAppMerge(options: PgoAppMergeOptions, deps: Deps): Promise<PgoAppMergeResult> {
  const app = openApp(options.app);
  const { folder, host, ofDevice, waves, raw, mergeJson } = appPgoPaths(app);
  const inputs = profileHalves(options.input, raw);
  const llvm = await findLlvm(deps, { wantsPlugin: false });
  const partial = partialOf(join(folder, '.merged'));
  const request = { inputs: inputs.device, profdata: partial, waves, arch: '', profdataProgram: llvm.profdata };
  const { merged, notes } = await mergeProfiles({ ...request, mixedSampling: options.mixedSampling }, deps);
  // Removes profiles of earlier runs, and of another kind of device.
  for (const file of [host, ...ofDevice]) rmSync(file, { force: true });
  const profdata = ofDevice[merged.arch.startsWith('sm_') ? 1 : 0] ?? '';
  renameSync(partial, profdata);
  if (inputs.host.length > 0) await mergeHostProfiles(inputs.host, host, llvm.profdata, deps);
  const shown = (file: string): string => relative(isInside(app.root, file) ? app.root : app.workspaceRoot, file);
  writeJson(mergeJson, {
    schema: 'kernloop.pgo-merge/1',
    arch: merged.arch,
    inputs: [...inputs.device, ...inputs.host].map(({ file, weight }) => ({
      ...{ name: shown(file), weight },
      sha256: sha256OfFile(file),
    })),
    profdata_sha256: sha256OfFile(profdata),
    waves_sha256: sha256OfFile(waves),
    ...(inputs.host.length > 0 ? { host_sha256: sha256OfFile(host) } : {}),
  });
  for (const note of notes) deps.report.warn(note);
  const { arch, functions, counters } = merged;
  const many = (count: number): string => `${count} ${count === 1 ? 'profile' : 'profiles'}`;
  const ofHost =
    inputs.host.length > 0 ? `; ${relative(app.root, host)} of ${many(inputs.host.length)} of its host code` : '';
  deps.report.result(
    `${app.config.name}: ${relative(app.root, profdata)} of ${many(inputs.device.length)}: ${counters} counters in ${functions} functions, for ${arch}${ofHost}`,
  );
  const hostProfile = inputs.host.length > 0 ? host : null;
  const profileSha256 = profileDigest({ profdata, waves, host });
  return {
    app: app.config.name,
    profile: profdata,
    host_profile: hostProfile,
    waves,
    profile_sha256: profileSha256,
    arch,
    functions,
    counters,
    notes,
  };
}
