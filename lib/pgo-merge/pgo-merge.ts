import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { openApp } from '../app/app';
import type { Deps } from '../deps/deps';
import { mergeHostProfiles } from '../pgo/app/host-half';
import { profiledArchitecture, readRecipe } from '../pgo/compile';
import { appPgoPaths, pgoPaths } from '../pgo/layout';
import { mergeProfiles } from '../pgo/merge';
import { profileDigest } from '../pgo/profile';
import { profileHalves, type Halves } from '../pgo/profile-inputs';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { isInside, sha256OfFile, writeJson } from '../support/files';
import { findLlvm } from '../toolchain/find-llvm';
import type { MergeOfAppOptions, MergeOfReproducerOptions, MergeOptions } from './options';
import type { MergedApp, MergedReproducer } from './result';

/** Merges profiles of any number of runs of a kernel, for the architecture that its build compiles for. */
export async function mergeOfReproducer(options: MergeOfReproducerOptions, deps: Deps): Promise<MergedReproducer> {
  const reproducer = openReproducer(options.reproducer);
  const arch = profiledArchitecture(readRecipe(reproducer));
  const paths = pgoPaths(reproducer.root);
  const { device } = profileHalves(options.input, paths.raw);
  const files = { ...paths, host: undefined, profdataOf: () => paths.profdata };
  const merged = await merge(reproducer, { device, host: [] }, { ...files, arch }, options, deps);
  return { subject: 'reproducer', kernel: reproducer.config.name, ...merged };
}

/**
 * Merges one profile of all units of the app, for the one architecture that it ran on, and one of its host code if that
 * was counted.
 */
export async function mergeOfApp(options: MergeOfAppOptions, deps: Deps): Promise<MergedApp> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app.root);
  const { host, ofDevice } = paths;
  const inputs = profileHalves(options.input, paths.raw);
  const profdataOf = (arch: string): string => {
    // Removes profiles of earlier runs, and of another kind of device.
    for (const file of [host, ...ofDevice]) rmSync(file, { force: true });
    return ofDevice[arch.startsWith('sm_') ? 1 : 0] ?? '';
  };
  const merged = await merge(app, inputs, { ...paths, arch: '', profdataOf }, options, deps);
  return { subject: 'app', app: app.config.name, host_profile: inputs.host.length > 0 ? host : null, ...merged };
}

interface Files {
  readonly waves: string;
  readonly host: string | undefined;
  readonly mergeJson: string;
  /** Architecture of the profile; if empty, that of the inputs. */
  readonly arch: string;
  /** Place of the profile, which is free now. */
  readonly profdataOf: (arch: string) => string;
}

type Subject = Pick<Reproducer, 'root' | 'workspaceRoot'> & { readonly config: { readonly name: string } };

async function merge(
  { root, workspaceRoot, config }: Subject,
  inputs: Halves,
  { waves, host, mergeJson, arch: wanted, profdataOf }: Files,
  { mixedSampling }: MergeOptions,
  deps: Deps,
): Promise<Omit<MergedReproducer, 'subject' | 'kernel'>> {
  const llvm = await findLlvm(deps, { wantsPlugin: false });
  const request = { inputs: inputs.device, arch: wanted, mixedSampling, profdataOf, waves };
  const { merged, profdata, notes } = await mergeProfiles({ ...request, profdataProgram: llvm.profdata }, deps);
  const hasHost = host !== undefined && inputs.host.length > 0;
  if (hasHost) await mergeHostProfiles(inputs.host, host, llvm.profdata, deps);
  const shown = (file: string): string => relative(isInside(root, file) ? root : workspaceRoot, file);
  writeJson(mergeJson, {
    schema: 'kernloop.pgo-merge/1',
    arch: merged.arch,
    inputs: [...inputs.device, ...inputs.host].map(({ file, weight }) => ({
      ...{ name: shown(file), weight },
      sha256: sha256OfFile(file),
    })),
    profdata_sha256: sha256OfFile(profdata),
    waves_sha256: sha256OfFile(waves),
    ...(hasHost ? { host_sha256: sha256OfFile(host) } : {}),
  });
  for (const note of notes) deps.report.warn(note);
  const { arch, functions, counters } = merged;
  const ofHost = hasHost ? `; ${relative(root, host)} of ${many(inputs.host.length, 'profile')} of its host code` : '';
  deps.report.result(
    `${config.name}: ${relative(root, profdata)} of ${many(inputs.device.length, 'profile')}: ${counters} counters in ${many(functions, 'function')}, for ${arch}${ofHost}`,
  );
  return {
    ...{
      profile: profdata,
      waves,
      profile_sha256: profileDigest({ profdata, waves, ...(hasHost ? { host } : {}) }),
      arch,
    },
    inputs: inputs.device.map(({ file, weight }) => ({ file, weight })),
    ...{ functions, counters, notes },
  };
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
