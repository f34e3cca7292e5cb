import { join, relative } from 'node:path';
import { openApp, type App } from '../app/app';
import { findProgram } from '../app/program';
import { withDevice } from '../device/lock';
import { openDevice } from '../device/open-device';
import type { Deps } from '../deps/deps';
import { mllvm, withoutHeightReduction } from '../pgo/clang-arguments';
import { ensurePlugin } from '../pgo/plugin';
import { profileDigest } from '../pgo/profile';
import { builtProgram, type AppBuild } from '../pgo-app/build-json';
import { appPgoPaths } from '../pgo-app/layout';
import { rebuildApp } from '../pgo-app/rebuild';
import { KernloopError } from '../support/error';
import { sha256OfFile, writeJson } from '../support/files';
import { formatCount, table } from '../support/report';
import { findLlvm } from '../toolchain/find-llvm';
import { chooseBuild } from './choose';
import { measureProgram } from './measure';
import type { PgoAppUseOptions } from './options';
import type { AppBuildResult, PgoAppUseResult } from './result';

/** Builds the app by its profile, runs each build beside the app as it is, and says which one to take, if any. */
export async function pgoAppUse(options: PgoAppUseOptions, deps: Deps): Promise<PgoAppUseResult> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app);
  const profileSha256 = profileDigest(paths);
  const device = await openDevice(options, deps);
  if (device.work !== 'wave_instructions') {
    throw new KernloopError(
      'PGO_UNSUPPORTED',
      `${app.config.name} runs on ${device.description.name}: which build of an app is best is only counted on the software GPU so far`,
      'judge its kernels one by one: `kernloop pgo-use` in their reproducers, with `pgo-merge --input` for the profile of the app',
    );
  }
  const own = findProgram(app, deps.env);
  const compiler = await buildAll(app, own, options, profileSha256, deps);
  const names = ['own', 'base', ...options.gate];
  const builds: Omit<AppBuildResult, 'judgement'>[] = [];
  let expected: { exitCode: number | null; output: string } | undefined;
  await withDevice(device, deps, async () => {
    for (const name of names) {
      const program = name === 'own' ? own : builtProgram(join(paths.variants, name), 'pgo-app-use').program;
      deps.report.info(`${app.config.name}: run ${name}`);
      const run = await measureProgram(app, program, device, options.timeLimitSeconds, deps);
      expected ??= run;
      builds.push({
        ...{ name, program, sha256: sha256OfFile(program), kernels: run.kernels },
        right: run.exitCode === expected.exitCode && run.output === expected.output,
        total: run.kernels.reduce((sum, { total }) => sum + total, 0),
      });
    }
  });
  const { kept, reason, judgements } = chooseBuild(builds);
  const { kind, identity } = device.description;
  const result: PgoAppUseResult = {
    schema: 'kernloop.pgo-app-choice/1',
    app: app.config.name,
    profile_sha256: profileSha256,
    compiler,
    device: { kind, identity },
    builds: builds.map((one) => ({ ...one, judgement: judgements[one.name] ?? '' })),
    ...{ kept, reason },
  };
  writeJson(paths.choice, result);
  print(app, result, deps);
  return result;
}

/** Base without our plugin, and each gate with it. */
async function buildAll(
  app: App,
  own: string,
  options: PgoAppUseOptions,
  profileSha256: string,
  deps: Deps,
): Promise<string> {
  const paths = appPgoPaths(app);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
  for (const name of ['base', ...options.gate]) {
    const folder = join(paths.variants, name);
    const use = (unit: number): string[] => [
      `-fpass-plugin=${plugin.path}`,
      ...mllvm('kernloop-pgo=use'),
      ...withoutHeightReduction(),
      ...mllvm(`kernloop-pgo-profile=${paths.profdata}`),
      ...mllvm(`kernloop-pgo-waves=${paths.waves}`),
      ...mllvm(`kernloop-pgo-gate=${name}`),
      ...mllvm(`kernloop-pgo-report=${join(`${folder}.partial-${process.pid}`, `report.${unit}.%a.json`)}`),
    ];
    deps.report.info(`${app.config.name}: build ${name}`);
    const { linkArgument: linkArguments, compileLimitSeconds: limitSeconds } = options;
    const request = { folder, program: own, linkArguments, limitSeconds, options: name === 'base' ? () => [] : use };
    const program = await rebuildApp(app, request, llvm, deps);
    const build: AppBuild = {
      schema: 'kernloop.pgo-app-build/1',
      program: relative(folder, program),
      program_sha256: sha256OfFile(program),
      compiler: llvm.version,
      plugin_sha256: name === 'base' ? null : plugin.sha256,
      profile_sha256: name === 'base' ? null : profileSha256,
      options: { mode: 'use', gate: name },
    };
    writeJson(join(folder, 'build.json'), build);
  }
  return llvm.version;
}

function print(app: App, { builds, kept, reason }: PgoAppUseResult, { report }: Pick<Deps, 'report'>): void {
  const [own] = builds;
  const kernels = own?.kernels ?? [];
  const total = (one: AppBuildResult, symbol: string): string =>
    formatCount(one.kernels.find((kernel) => kernel.symbol === symbol)?.total ?? 0);
  const rows = kernels.map(({ name, symbol }) => [name, ...builds.map((one) => total(one, symbol))]);
  const all = ['all', ...builds.map((one) => formatCount(one.total))];
  for (const line of table([['wave-instructions', ...builds.map(({ name }) => name)], ...rows, all]))
    report.result(line);
  for (const { name, judgement } of builds) report.result(`${name}: ${judgement}`);
  const program = builds.find(({ name }) => name === kept)?.program;
  report.result(
    program === undefined ? `Nothing is kept: ${reason}` : `Kept: ${reason}; it is ${relative(app.root, program)}`,
  );
}
