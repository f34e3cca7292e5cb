import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { hostGenerate, hostRuntime } from '../pgo/app/host-half';
import { rebuildApp } from '../pgo/app/rebuild';
import { mllvm } from '../pgo/clang-arguments';
import { appPgoPaths } from '../pgo/layout';
import { ensurePlugin } from '../pgo/plugin';
import { findLlvm } from '../toolchain/find-llvm';
import { keyOf, pluginArguments, requirePowers } from './key';
import type { InstrumentAppOptions } from './options';
import type { InstrumentedApp } from './result';

/** Builds the app again, with counters in its kernels, into a separate folder. The app's own build stays unchanged. */
export async function instrumentApp(options: InstrumentAppOptions, deps: Deps): Promise<InstrumentedApp> {
  requirePowers(options);
  const app = openApp(options.app);
  const { name } = app.config;
  const own = findProgram(app, deps.env);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
  const countsHost = hostRuntime(llvm) !== null;
  if (!countsHost) {
    deps.report.warn(
      `${name}: host code is not counted: there is no profile runtime beside ${llvm.clang} (sudo apt-get install libclang-rt-${llvm.major}-dev)`,
    );
  }
  const { options: plugged, profileSha256 } = keyOf(options);
  const { program, units } = await rebuildApp(
    app,
    {
      ...{ folder: appPgoPaths(app.root).instrumented, program: own, limitSeconds: options.compileLimitSeconds },
      linkArguments: [...options.linkArgument, ...(countsHost ? ['-fprofile-generate'] : [])],
      options: (unit, folder) => [
        ...pluginArguments(plugin, options),
        ...(countsHost ? hostGenerate : []),
        ...mllvm(`kernloop-pgo-map=${join(folder, `map.${unit}.%a.json`)}`),
      ],
      record: {
        plugin_sha256: plugin.sha256,
        profile_sha256: profileSha256,
        options: { ...plugged, host: countsHost },
      },
    },
    llvm,
    deps,
  );
  deps.report.result(`${name}: ${relative(app.root, program)} of ${units} units, with counters (${llvm.version})`);
  return { subject: 'app', app: name, program, compiler: llvm.version, units };
}
