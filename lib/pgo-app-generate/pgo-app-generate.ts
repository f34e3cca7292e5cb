import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import type { Deps } from '../deps/deps';
import { openDevice } from '../device/open-device';
import { deviceProfile } from '../pgo-merge/inputs';
import { builtProgram } from '../pgo-app/build-json';
import { appPgoPaths } from '../pgo-app/layout';
import { collectorOf, runCollecting } from '../pgo-app/run';
import { KernloopError } from '../support/error';
import { partialOf } from '../support/leftovers';
import type { PgoAppGenerateOptions } from './options';
import type { PgoAppGenerateResult } from './result';

/** Runs the program that pgo-app-instrument built, and keeps the counts of its kernels. */
export async function pgoAppGenerate(options: PgoAppGenerateOptions, deps: Deps): Promise<PgoAppGenerateResult> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app);
  const { program, build } = builtProgram(paths.instrumented, 'pgo-app-instrument');
  const device = await openDevice(options, deps);
  const collector = await collectorOf(device, deps);
  if (!existsSync(collector)) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${collector} not found`,
      'install kernloop once more (in a checkout: `npm run build:native`)',
    );
  }
  const partial = partialOf(paths.raw);
  try {
    mkdirSync(partial, { recursive: true });
    await runCollecting(app, program, join(partial, 'app-%p.profraw'), device, options.timeLimitSeconds, deps);
    const all = readdirSync(partial)
      .filter((name) => name.endsWith('.profraw'))
      .sort();
    const files = all.filter((name) => deviceProfile.test(name));
    const hostFiles = all.filter((name) => !files.includes(name));
    if (files.length === 0) {
      throw new KernloopError(
        'PGO_PROFILE_MISSING',
        `${app.config.name} left no profile: no instrumented kernel was loaded, or the program ended without its cleanup`,
        'run it with LLVM_PROFILE_VERBOSE=1 in "env" of kernloop.json to see what the collector found; docs/reference/pgo.md says which ends of a program it survives',
      );
    }
    rmSync(paths.raw, { recursive: true, force: true });
    renameSync(partial, paths.raw);
    if (build.options['host'] === true && hostFiles.length === 0)
      deps.report.warn(
        `${app.config.name}: nothing of its host code was counted: the program ended without its cleanup`,
      );
    const ofHost = hostFiles.length > 0 ? `, and ${hostFiles.length} of its host code,` : '';
    deps.report.result(
      `${app.config.name}: ${files.length} raw ${files.length === 1 ? 'profile' : 'profiles'}${ofHost} in ${relative(app.root, paths.raw)}`,
    );
    return { app: app.config.name, folder: paths.raw, files, host_files: hostFiles };
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
