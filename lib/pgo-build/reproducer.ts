import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { buildConditions, currentBuild, writeBuildJson, type BuildJson, type BuildKey } from '../pgo/build-json';
import { mllvm, usingProfile } from '../pgo/clang-arguments';
import { PgoCompiler, readRecipe } from '../pgo/compile';
import { refuseForeignPgo } from '../pgo/own-folders';
import { pgoPaths, variantsOf, type VariantName } from '../pgo/layout';
import { ensurePlugin } from '../pgo/plugin';
import { profileDigest, readWaves } from '../pgo/profile';
import { readReport } from '../pgo/report-json';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { replaceFolder } from '../support/leftovers';
import { variantExtension } from '../language/languages';
import { findLlvm } from '../toolchain/find-llvm';
import type { CompileResult } from '../toolchain/compile';
import type { BuildReproducerOptions } from './options';
import type { BuiltReproducer } from './result';

/**
 * Builds the candidates of pgo-use: with the compiler without a profile, and with the profile under each gate of spill
 * placement.
 */
export async function buildReproducer(options: BuildReproducerOptions, deps: Deps): Promise<BuiltReproducer> {
  const reproducer = openReproducer(options.reproducer);
  readRecipe(reproducer);
  const { build, upToDate } = await buildVariants(reproducer, options, deps);
  const result = describe(reproducer, build, upToDate);
  for (const { name, spill_dwords: spillDwords, score } of result.variants) {
    if (spillDwords === null) continue;
    deps.report.info(`  ${name}: ${spillDwords} spilled dwords, score ${score ?? '?'}`);
  }
  deps.report.result(
    `${result.kernel}: ${result.variants.map(({ name }) => name).join(', ')} in pgo/variants ${upToDate ? 'are up to date' : 'built'} (${result.compiler})`,
  );
  return result;
}

/** The mode and the gates are fixed, with a build for each gate. */
export const variantKey = ({ config }: Pick<Reproducer, 'config'>, profileSha256: string): BuildKey => ({
  options: { mode: 'use', variants: variantsOf(config.language).join(' ') },
  profileSha256,
});

export async function buildVariants(
  reproducer: Reproducer,
  options: Pick<BuildReproducerOptions, 'compileLimitSeconds'>,
  deps: Deps,
): Promise<{ build: BuildJson; upToDate: boolean }> {
  const paths = pgoPaths(reproducer.root);
  const key = variantKey(reproducer, profileDigest(paths));
  const current = currentBuild(paths.variants, reproducer, key, deps);
  if (current !== null) return { build: current, upToDate: true };
  requireCounts(reproducer);
  refuseForeignPgo(paths.variants);
  const llvm = await findLlvm(deps);
  const plugin = await ensurePlugin(reproducer.workspaceRoot, llvm, deps);
  const compiler = await PgoCompiler.open(reproducer, llvm, deps);
  const conditions = buildConditions(reproducer.root, key, deps);
  const extension = variantExtension(compiler.recipe.language, reproducer.config.device.kind);
  await replaceFolder(paths.variants, async (folder) => {
    const files: Record<string, string> = {};
    const compiled: CompileResult[] = [];
    const compile = async (name: string, using: readonly string[]): Promise<void> => {
      const output = join(folder, `${name}.${extension}`);
      const { compileLimitSeconds: limitSeconds } = options;
      compiled.push(await explained(() => compiler.compile({ output, options: using, limitSeconds })));
      files[name] = output;
    };
    const use = (name: VariantName, more: readonly string[]): string[] => [
      ...usingProfile(plugin, paths, join(folder, `${name}.report.json`)),
      ...more,
    ];
    // Base uses the unchanged compiler without our plugin. A second build reports its spills and their cost by the
    // profile.
    await compile('base', []);
    await compile('base-report', use('base', mllvm('kernloop-pgo-weights=false')));
    rmSync(files['base-report'] ?? '', { force: true });
    delete files['base-report'];
    for (const name of variantsOf(reproducer.config.language)) {
      if (name === 'base') continue;
      await compile(name, use(name, name === 'use' ? [] : mllvm(`kernloop-pgo-gate=${name}`)));
    }
    const built = { reproducer, llvm, key, conditions, files, compiled };
    const { recipe } = compiler;
    writeBuildJson(join(folder, 'build.json'), { ...built, recipe, pluginSha256: plugin.sha256 }, deps);
    refuseForeignPgo(paths.variants);
  });
  const build = currentBuild(paths.variants, reproducer, key, deps);
  if (build === null) {
    throw new KernloopError('COMPILE_FAILED', 'a source was changed while it was compiled', 'build again');
  }
  return { build, upToDate: false };
}

export function isUpToDate(options: BuildReproducerOptions, { env, report }: Pick<Deps, 'env' | 'report'>): boolean {
  const reproducer = openReproducer(options.reproducer);
  const paths = pgoPaths(reproducer.root);
  const key = variantKey(reproducer, profileDigest(paths));
  if (currentBuild(paths.variants, reproducer, key, { env }) === null) return false;
  report.result(`${reproducer.config.name}: what pgo-build built is up to date`);
  return true;
}

/** A profile of a kernel that never ran would mark every block as cold. */
function requireCounts(reproducer: Reproducer): void {
  const waves = readWaves(pgoPaths(reproducer.root));
  const kernel = waves.functions.find(({ name }) => isOf(name, reproducer.config.symbol));
  if (kernel?.counters.some((count) => BigInt(count) > 0n)) return;
  throw new KernloopError(
    'PGO_PROFILE_MISSING',
    kernel === undefined
      ? `the profile has no ${reproducer.config.symbol}: it is of ${waves.functions
          .map(({ name }) => name)
          .slice(0, 3)
          .join(', ')}`
      : `the profile counted nothing in ${reproducer.config.symbol}: with --sample, perhaps no workgroup was due`,
    'run `kernloop pgo-generate` and `kernloop pgo-merge` of this kernel',
  );
}

/** The profile name of a local function begins with its file. */
function isOf(profiled: string, symbol: string): boolean {
  return profiled === symbol || profiled.endsWith(`;${symbol}`);
}

/** Explains a profile of other code, which the plugin refuses with the name of the function. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code !== 'COMPILE_FAILED') throw error;
    const [, why] = /kernloop-pgo: (?:the (?:profile|side file) .*?: )?(.*)/.exec(error.what) ?? [];
    if (why === undefined || !/profile|side file|it does not fit|hash/.test(error.what)) throw error;
    throw new KernloopError(
      'PGO_PROFILE_STALE',
      `the profile does not fit the source as it is now: ${why}`,
      'run `kernloop pgo-generate` and `kernloop pgo-merge` again, so that it is of this source',
      { cause: error },
    );
  }
}

function describe(reproducer: Reproducer, build: BuildJson, upToDate: boolean): BuiltReproducer {
  const paths = pgoPaths(reproducer.root);
  return {
    subject: 'reproducer',
    kernel: reproducer.config.name,
    profile_sha256: build.profile_sha256 ?? '',
    compiler: build.compiler,
    up_to_date: upToDate,
    variants: variantsOf(reproducer.config.language).map((name) => {
      const code = build.code_objects[name];
      return {
        name,
        code_object: join(paths.variants, code?.file ?? ''),
        code_object_sha256: code?.sha256 ?? '',
        ...spillsOf(paths.variants, name, reproducer.config.symbol),
      };
    }),
  };
}

export function spillsOf(
  folder: string,
  name: VariantName,
  symbol: string,
): { spill_dwords: number | null; score: number | null } {
  const found = readReport(join(folder, `${name}.report.json`)).functions.find((one) => one.symbol === symbol);
  const { spills, score } = found ?? {};
  return { spill_dwords: spills ? spills.store_dwords + spills.load_dwords : null, score: score ?? null };
}
