import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { mllvm, withoutHeightReduction } from '../pgo/clang-arguments';
import { ensurePlugin } from '../pgo/plugin';
import { profileDigest } from '../pgo/profile';
import type { AppBuild } from '../pgo-app/build-json';
import { hostUse } from '../pgo-app/host-half';
import { appPgoPaths } from '../pgo-app/layout';
import { appVariants, hasGates } from '../pgo/layout';
import { rebuildApp } from '../pgo-app/rebuild';
import { appUnits } from '../pgo-app/units';
import { sha256OfFile, writeJson } from '../support/files';
import { partialOf } from '../support/leftovers';
import { findLlvm } from '../toolchain/find-llvm';
import type { PgoAppBuildOptions } from './options';
import type { PgoAppBuildResult } from './result';

/** Builds base without our plugin, and each gate with it. They run elsewhere, perhaps on a machine without clang. */
export async function pgoAppBuild(options: PgoAppBuildOptions, deps: Deps): Promise<PgoAppBuildResult> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app);
  const profileSha256 = profileDigest(paths);
  const own = findProgram(app, deps.env);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
  const { linkArgument: linkArguments, compileLimitSeconds: limitSeconds } = options;
  const builds: PgoAppBuildResult['builds'] = [];
  // Removes builds from another profile, and of gates that are not requested now.
  rmSync(paths.variants, { recursive: true, force: true });
  const isGated = hasGates(appUnits(app).map(({ language }) => language));
  for (const name of appVariants(isGated, options.gate)) {
    const folder = join(paths.variants, name);
    const use = (unit: number): string[] => [
      `-fpass-plugin=${plugin.path}`,
      ...mllvm('kernloop-pgo=use'),
      ...withoutHeightReduction(),
      ...mllvm(`kernloop-pgo-profile=${paths.profdata}`),
      ...mllvm(`kernloop-pgo-waves=${paths.waves}`),
      ...(isGated ? mllvm(`kernloop-pgo-gate=${name}`) : []),
      ...(existsSync(paths.host) ? hostUse(paths.host) : []),
      ...mllvm(`kernloop-pgo-report=${join(partialOf(folder), `report.${unit}.%a.json`)}`),
    ];
    deps.report.info(`${app.config.name}: build ${name}`);
    const request = { folder, program: own, linkArguments, limitSeconds, options: name === 'base' ? () => [] : use };
    const program = await rebuildApp(app, request, llvm, deps);
    const build: AppBuild = {
      schema: 'kernloop.pgo-app-build/1',
      program: relative(folder, program),
      program_sha256: sha256OfFile(program),
      compiler: llvm.version,
      plugin_sha256: name === 'base' ? null : plugin.sha256,
      // Recorded for base as well: it identifies the builds that base is compared with.
      profile_sha256: profileSha256,
      options: { mode: 'use', gate: name },
    };
    writeJson(join(folder, 'build.json'), build);
    builds.push({ name, program, sha256: build.program_sha256 });
  }
  deps.report.result(
    `${app.config.name}: ${builds.map(({ name }) => name).join(', ')} in ${relative(app.root, paths.variants)} (${llvm.version})`,
  );
  return { app: app.config.name, profile_sha256: profileSha256, compiler: llvm.version, builds };
}
