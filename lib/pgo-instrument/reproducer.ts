import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { buildConditions, currentBuild, writeBuildJson, type BuildJson } from '../pgo/build-json';
import { mllvm } from '../pgo/clang-arguments';
import { PgoCompiler, readRecipe } from '../pgo/compile';
import { refuseForeignPgo } from '../pgo/own-folders';
import { pgoPaths } from '../pgo/layout';
import { readMap, type PgoMap } from '../pgo/map-json';
import { ensurePlugin } from '../pgo/plugin';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { variantExtension } from '../language/languages';
import { findLlvm } from '../toolchain/find-llvm';
import { keyOf, pluginArguments, requirePowers } from './key';
import type { InstrumentReproducerOptions } from './options';
import type { InstrumentedReproducer } from './result';

const codeObject = 'instrumented';

/** Compiles the user's copy of a kernel with counters in it, for one replay of the capture. */
export async function instrumentReproducer(
  options: InstrumentReproducerOptions,
  deps: Deps,
): Promise<InstrumentedReproducer> {
  requirePowers(options);
  const reproducer = openReproducer(options.reproducer);
  readRecipe(reproducer);
  const { build, upToDate } = await instrument(reproducer, options, deps);
  const paths = pgoPaths(reproducer.root);
  const map = readMap(paths.map);
  const counted = map.functions.filter(({ skipped }) => skipped === undefined);
  const result: InstrumentedReproducer = {
    subject: 'reproducer',
    kernel: reproducer.config.name,
    code_object: join(paths.instrumented, build.code_objects[codeObject]?.file ?? ''),
    code_object_sha256: build.code_objects[codeObject]?.sha256 ?? '',
    compiler: build.compiler,
    functions: counted.length,
    counters: counted.reduce((sum, { counters }) => sum + counters.length, 0),
    up_to_date: upToDate,
  };
  deps.report.result(
    `${result.kernel}: pgo/instrumented/${basename(result.code_object)} ${upToDate ? 'is up to date' : 'built'} (${result.compiler}): ${result.counters} counters in ${result.functions} ${result.functions === 1 ? 'function' : 'functions'}${describeSkipped(map)}`,
  );
  return result;
}

export async function instrument(
  reproducer: Reproducer,
  options: Omit<InstrumentReproducerOptions, 'reproducer'>,
  deps: Deps,
): Promise<{ build: BuildJson; upToDate: boolean }> {
  const paths = pgoPaths(reproducer.root);
  const key = keyOf(options);
  const current = currentBuild(paths.instrumented, reproducer, key, deps);
  if (current !== null && existsSync(paths.map)) return { build: current, upToDate: true };
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(reproducer.workspaceRoot, llvm, deps);
  const compiler = await PgoCompiler.open(reproducer, llvm, deps);
  const conditions = buildConditions(reproducer.root, key, deps);
  refuseForeignPgo(paths.instrumented);
  rmSync(paths.instrumented, { recursive: true, force: true });
  mkdirSync(paths.instrumented, { recursive: true });
  const output = join(
    paths.instrumented,
    `${codeObject}.${variantExtension(compiler.recipe.language, reproducer.config.device.kind)}`,
  );
  const compiled = await compiler.compile({
    output,
    options: [...pluginArguments(plugin, options), ...mllvm(`kernloop-pgo-map=${paths.map}`)],
    limitSeconds: options.compileLimitSeconds,
  });
  requireCounters(reproducer, readMap(paths.map));
  const build = writeBuildJson(
    paths.instrumentedJson,
    {
      ...{ reproducer, llvm, key, conditions },
      recipe: compiler.recipe,
      pluginSha256: plugin.sha256,
      files: { [codeObject]: output },
      compiled: [compiled],
    },
    deps,
  );
  return { build, upToDate: false };
}

/** Whether the build is up to date. Under Nx the stage checks again if its inputs are known only afterwards. */
export function isUpToDate(
  options: InstrumentReproducerOptions,
  { env, report }: Pick<Deps, 'env' | 'report'>,
): boolean {
  const reproducer = openReproducer(options.reproducer);
  const paths = pgoPaths(reproducer.root);
  const current = currentBuild(paths.instrumented, reproducer, keyOf(options), { env });
  if (current === null || !existsSync(paths.map)) return false;
  report.result(`${reproducer.config.name}: the instrumented code is up to date`);
  return true;
}

function requireCounters({ config }: Reproducer, map: PgoMap): void {
  const kernel = map.functions.find(({ symbol }) => symbol === config.symbol);
  if (kernel !== undefined && kernel.skipped === undefined) return;
  const skipped = kernel?.skipped;
  throw new KernloopError(
    'PGO_NOTHING_TO_COUNT',
    skipped === undefined
      ? `${config.name} was compiled without a counter: the plugin found nothing to count in ${config.symbol}`
      : `${config.name} has nothing to count: --skip-guards leaves it out (${skipped})`,
    skipped === undefined
      ? 'a kernel without a branch has nothing that a profile could tell'
      : 'leave --skip-guards out, or use `kernloop tune`: a profile says little of such a kernel',
  );
}

function describeSkipped({ functions }: PgoMap): string {
  const skipped = functions.filter((one) => one.skipped !== undefined).length;
  return skipped === 0 ? '' : `; ${skipped} left out`;
}
