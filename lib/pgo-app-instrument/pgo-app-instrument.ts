import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { pluginArguments, requirePowers } from '../pgo-instrument/key';
import { mllvm } from '../pgo/clang-arguments';
import { ensurePlugin } from '../pgo/plugin';
import { hostGenerate, hostRuntime } from '../pgo-app/host-half';
import { appPgoPaths } from '../pgo-app/layout';
import { rebuildApp } from '../pgo-app/rebuild';
import { appUnits } from '../pgo-app/units';
import { sha256OfFile, writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import { findLlvm } from '../toolchain/find-llvm';
import type { PgoAppInstrumentOptions } from './options';
import type { PgoAppInstrumentResult } from './result';

/** Builds the app again, with counters in its kernels, into a separate folder. The app's own build stays unchanged. */
export async function pgoAppInstrument(options: PgoAppInstrumentOptions, deps: Deps): Promise<PgoAppInstrumentResult> {
  requirePowers(options);
  const app = openApp(options.app);
  const program = findProgram(app, deps.env);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
  const folder = appPgoPaths(app).instrumented;
  const countsHost = hostRuntime(llvm) !== null;
  if (!countsHost) {
    deps.report.warn(
      `${app.config.name}: host code is not counted: there is no profile runtime beside ${llvm.clang} (sudo apt-get install libclang-rt-${llvm.major}-dev)`,
    );
  }
  const linkArguments = [...options.linkArgument, ...(countsHost ? ['-fprofile-generate'] : [])];
  const built = await rebuildApp(
    app,
    {
      ...{ folder, program, linkArguments, limitSeconds: options.compileLimitSeconds },
      options: (unit) => [
        `-fpass-plugin=${plugin.path}`,
        ...pluginArguments(options),
        ...(countsHost ? hostGenerate : []),
        ...mllvm(`kernloop-pgo-map=${join(partialOf(folder), `map.${unit}.%a.json`)}`),
      ],
    },
    llvm,
    deps,
  );
  const { sample, slots, uniform, skipGuards } = options;
  writeJson(join(folder, 'build.json'), {
    schema: 'kernloop.pgo-app-build/1',
    program: relative(folder, built),
    program_sha256: sha256OfFile(built),
    compiler: llvm.version,
    plugin_sha256: plugin.sha256,
    profile_sha256: null,
    options: { mode: 'generate', sample, slots, uniform, skip_guards: skipGuards, host: countsHost },
  });
  const units = appUnits(app).length;
  deps.report.result(
    `${app.config.name}: ${relative(app.root, built)} of ${units} units, with counters (${llvm.version})`,
  );
  return { app: app.config.name, program: built, compiler: llvm.version, units };
}
