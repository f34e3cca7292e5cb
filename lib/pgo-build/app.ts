import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { hostUse } from '../pgo/app/host-half';
import { rebuildApp } from '../pgo/app/rebuild';
import { appUnits } from '../pgo/app/units';
import { mllvm, usingProfile } from '../pgo/clang-arguments';
import { appPgoPaths, appVariants, hasGates } from '../pgo/layout';
import { ensurePlugin } from '../pgo/plugin';
import { profileDigest } from '../pgo/profile';
import { findLlvm } from '../toolchain/find-llvm';
import type { BuildAppOptions } from './options';
import type { BuiltApp } from './result';

/** Builds base without our plugin, and each gate with it. They run elsewhere, perhaps on a machine without clang. */
export async function buildApp(options: BuildAppOptions, deps: Deps): Promise<BuiltApp> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app.root);
  const profileSha256 = profileDigest(paths);
  const own = findProgram(app, deps.env);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
  const { linkArgument: linkArguments, compileLimitSeconds: limitSeconds } = options;
  const builds: BuiltApp['builds'] = [];
  // Removes builds from another profile, and of gates that are not requested now.
  rmSync(paths.variants, { recursive: true, force: true });
  const isGated = hasGates(appUnits(app).map(({ language }) => language));
  for (const name of appVariants(isGated, options.gate)) {
    const use = (unit: number, folder: string): string[] => [
      ...usingProfile(plugin, paths, join(folder, `report.${unit}.%a.json`)),
      ...(isGated ? mllvm(`kernloop-pgo-gate=${name}`) : []),
      ...(existsSync(paths.host) ? hostUse(paths.host) : []),
    ];
    deps.report.info(`${app.config.name}: build ${name}`);
    const record = {
      plugin_sha256: name === 'base' ? null : plugin.sha256,
      // Recorded for base as well: it identifies the builds that base is compared with.
      profile_sha256: profileSha256,
      options: { mode: 'use', gate: name },
    };
    const request = { folder: join(paths.variants, name), program: own, linkArguments, limitSeconds, record };
    const built = await rebuildApp(app, { ...request, options: name === 'base' ? () => [] : use }, llvm, deps);
    builds.push({ name, program: built.program, sha256: built.sha256 });
  }
  deps.report.result(
    `${app.config.name}: ${builds.map(({ name }) => name).join(', ')} in ${relative(app.root, paths.variants)} (${llvm.version})`,
  );
  return { subject: 'app', app: app.config.name, profile_sha256: profileSha256, compiler: llvm.version, builds };
}
