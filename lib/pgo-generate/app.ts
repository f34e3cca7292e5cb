import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import { builtNative } from '../deps/built-native';
import type { Deps } from '../deps/deps';
import { openDevice } from '../device/open-device';
import { deviceProfile } from '../pgo/profile-inputs';
import { builtProgram } from '../pgo/app/program-json';
import { appPgoPaths } from '../pgo/layout';
import { runPreloaded } from '../pgo/app/run';
import { KernloopError } from '../support/error';
import { replaceFolder } from '../support/leftovers';
import type { GenerateFromAppOptions } from './options';
import type { AppProfiles } from './result';

/**
 * Runs the program that pgo-instrument built, with the collector in front of the device's runtime, and keeps the counts
 * of its kernels.
 */
export async function generateFromApp(options: GenerateFromAppOptions, deps: Deps): Promise<AppProfiles> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app.root);
  const { program, build } = builtProgram(paths.instrumented, 'pgo-instrument');
  const device = await openDevice(options, deps);
  const library = await builtNative(device.description.kind === 'cuda' ? 'pgoCuda' : 'pgoHip', deps);
  if (!existsSync(library)) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${library} not found`,
      'install kernloop once more (in a checkout: `npm run build:native`)',
    );
  }
  const { name } = app.config;
  const { files, hostFiles } = await replaceFolder(paths.raw, async (folder) => {
    const collecting = { program, library, variables: { LLVM_PROFILE_FILE: join(folder, 'app-%p.profraw') } };
    const hint = 'see whether the app runs through without counters; --sample blocks:64 makes them cheaper';
    await runPreloaded(app, collecting, device, options.timeLimitSeconds, hint, deps);
    const all = readdirSync(folder)
      .filter((file) => file.endsWith('.profraw'))
      .sort();
    const ofDevice = all.filter((file) => deviceProfile.test(file));
    if (ofDevice.length > 0) return { files: ofDevice, hostFiles: all.filter((file) => !ofDevice.includes(file)) };
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `${name} left no profile: no instrumented kernel was loaded, or the program ended without its cleanup`,
      'run it with LLVM_PROFILE_VERBOSE=1 in "env" of kernloop.json to see what the collector found; docs/reference/pgo.md says which ends of a program it survives',
    );
  });
  if (build.options['host'] === true && hostFiles.length === 0)
    deps.report.warn(`${name}: nothing of its host code was counted: the program ended without its cleanup`);
  const ofHost = hostFiles.length > 0 ? `, and ${hostFiles.length} of its host code,` : '';
  deps.report.result(
    `${name}: ${files.length} raw ${files.length === 1 ? 'profile' : 'profiles'}${ofHost} in ${relative(app.root, paths.raw)}`,
  );
  return { subject: 'app', app: name, folder: paths.raw, files, host_files: hostFiles };
}
