import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openApp, type App } from '../app/app';
import { findProgram } from '../app/program';
import { timeWords } from '../device/emulated-driver';
import { withDevice } from '../device/lock';
import { openDevice } from '../device/open-device';
import type { Deps } from '../deps/deps';
import { builtProgram } from '../pgo/app/program-json';
import { appPgoPaths, variantNames } from '../pgo/layout';
import { profileDigest } from '../pgo/profile';
import { KernloopError } from '../support/error';
import { sha256OfFile, writeJson } from '../support/files';
import { chooseBuild } from './choose-build';
import { measureProgram, summed, type AppRun } from './measure-program';
import type { UseInAppOptions } from './options';
import type { AppBuildResult, ChosenBuild } from './result';
import { printBuilds } from './text';

/**
 * Runs each build that used the profile, and the unchanged app, and says which build to take, if any. Nothing is
 * compiled here.
 */
export async function useInApp(options: UseInAppOptions, deps: Deps): Promise<ChosenBuild> {
  const app = openApp(options.app);
  const paths = appPgoPaths(app.root);
  const profileSha256 = profileDigest(paths);
  const device = await openDevice(options, deps);
  const own = findProgram(app, deps.env);
  const { names, compiler } = builtVariants(app, profileSha256);
  const programs = ['own', ...names].map((name) => ({
    name,
    program: name === 'own' ? own : builtProgram(join(paths.variants, name), 'pgo-build').program,
  }));
  const isTimed = device.work === 'duration_ns';
  const rounds = isTimed ? options.rounds : 1;
  const runs = new Map<string, AppRun[]>(programs.map(({ name }) => [name, []]));
  await withDevice(device, deps, async () => {
    for (let round = 0; round < rounds; round += 1) {
      deps.report.info(`${app.config.name}: run ${names.join(', ')}${isTimed ? ` (${round + 1} of ${rounds})` : ''}`);
      // Alternates forward and reverse order, so that drift affects all builds alike.
      for (const { name, program } of round % 2 === 0 ? programs : [...programs].reverse())
        runs.get(name)?.push(await measureProgram(app, program, device, options.timeLimitSeconds, deps));
    }
  });
  const [expected] = runs.get('own') ?? [];
  const builds = programs.map(({ name, program }): Omit<AppBuildResult, 'judgement'> => {
    const own = runs.get(name) ?? [];
    return {
      ...{ name, program, sha256: sha256OfFile(program) },
      right: own.every(({ exitCode, output }) => exitCode === expected?.exitCode && output === expected.output),
      ...summed(own),
    };
  });
  const { kept, reason, judgements } = chooseBuild(
    builds,
    isTimed ? `ns of ${timeWords(device.description)}` : 'wave-instructions',
  );
  const { kind, identity } = device.description;
  const result: ChosenBuild = {
    ...{ schema: 'kernloop.pgo-choice/1', subject: 'app' },
    app: app.config.name,
    profile_sha256: profileSha256,
    compiler,
    device: { kind, identity },
    builds: builds.map((one) => ({ ...one, judgement: judgements[one.name] ?? '' })),
    ...{ kept, reason },
  };
  writeJson(paths.choice, result);
  printBuilds(result, isTimed, (path) => relative(app.root, path), deps);
  return result;
}

/** Builds that pgo-build left, base first; only those made from the current profile. */
function builtVariants(app: App, profileSha256: string): { names: string[]; compiler: string } {
  const { variants } = appPgoPaths(app.root);
  const names = variantNames.filter((name) => existsSync(join(variants, name)));
  const built = names.map((name) => builtProgram(join(variants, name), 'pgo-build').build);
  const [base] = built;
  const isStale = built.some((build) => build.profile_sha256 !== profileSha256);
  if (base !== undefined && names[0] === 'base' && !isStale) return { names, compiler: base.compiler };
  throw new KernloopError(
    'PGO_BUILD_MISSING',
    isStale ? `${variants} was built by another profile` : `${variants} holds no builds of ${app.config.name}`,
    'run `kernloop pgo-build --app`',
  );
}
