import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readCapture } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { openReplayDevice } from '../replay/replay-device';
import type { Device } from '../device/device';
import { buildVariants, spillsOf, variantKey } from '../pgo-build/reproducer';
import { buildReproducerSchema } from '../pgo-build/options';
import { requireBuild, type BuildJson } from '../pgo/build-json';
import { readRecipe } from '../pgo/compile';
import { pgoPaths, variantsOf } from '../pgo/layout';
import { profileDigest } from '../pgo/profile';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { sha256, sha256OfFile, writeJson } from '../support/files';
import { kernloopFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { version } from '../support/version';
import { judge } from '../validate/validate';
import { validateOptionsSchema } from '../validate/options';
import { choose } from './choose';
import { capturedTimes, measureVariant } from './measure';
import type { UseInReproducerOptions } from './options';
import { isPlaced, placeVariant } from './place';
import { quiet } from '../deps/quiet';
import { chosenVariantSchema, type Figures, type ChosenVariant } from './result';
import { printVariants } from './text';

/** Builds missing variants, judges and measures each, and keeps the best, unless it is wrong or slower. */
export async function useInReproducer(options: UseInReproducerOptions, deps: Deps): Promise<ChosenVariant> {
  const reproducer = openReproducer(options.reproducer);
  readRecipe(reproducer);
  const declared = reproducer.config.options['pgo-build'] ?? {};
  const { build } = await buildVariants(reproducer, buildReproducerSchema.parse(declared), deps);
  return decide(reproducer, build, options, deps);
}

export async function useTask(options: UseInReproducerOptions, deps: Deps): Promise<boolean> {
  const reproducer = openReproducer(options.reproducer);
  const paths = pgoPaths(reproducer.root);
  const key = variantKey(reproducer, profileDigest(paths));
  await decide(
    reproducer,
    requireBuild(paths.variants, reproducer, key, ['pgo-use', 'pgo-build'], deps),
    options,
    deps,
  );
  return true;
}

async function decide(
  reproducer: Reproducer,
  build: BuildJson,
  options: UseInReproducerOptions,
  deps: Deps,
): Promise<ChosenVariant> {
  const paths = pgoPaths(reproducer.root);
  const device = await openReplayDevice(options, [readCapture(reproducer.capture)], deps);
  // A time is always measured anew.
  const key = device.work === 'duration_ns' ? '' : keyOf(reproducer, device, options, deps);
  const known = key === '' ? null : decided(reproducer, key);
  if (known !== null) {
    printVariants(known, deps);
    deps.report.info('nothing was changed since it was chosen');
    return known;
  }
  const { captured, variants } = await compareAll(reproducer, build, device, options, deps);
  const { kept, selector, reason, judgements } = choose(captured, variants);
  const judged = variants.map((one) => ({ ...one, judgement: judgements[one.name] ?? '' }));
  const placed = placeVariant(reproducer, judged.find(({ name }) => name === kept) ?? null, build, deps);
  const { kind, identity } = device.description;
  const result: ChosenVariant = {
    ...{ schema: 'kernloop.pgo-choice/1', subject: 'reproducer' },
    kernel: reproducer.config.name,
    key,
    profile_sha256: build.profile_sha256 ?? '',
    compiler: build.compiler,
    device: { kind, identity },
    captured,
    variants: judged,
    ...{ kept, selector, reason, placed },
  };
  writeJson(paths.choice, result);
  printVariants(result, deps);
  return result;
}

type Compared = Omit<ChosenVariant['variants'][number], 'judgement'>;

async function compareAll(
  reproducer: Reproducer,
  build: BuildJson,
  device: Device,
  options: UseInReproducerOptions,
  deps: Deps,
): Promise<{ captured: Figures; variants: Compared[] }> {
  const { variants: folder } = pgoPaths(reproducer.root);
  const validating = validatingOptions(reproducer, options);
  const captured =
    device.work === 'duration_ns' ? capturedTimes : await measureVariant('none', options, device.work, deps);
  const variants: Compared[] = [];
  for (const name of variantsOf(reproducer.config.language)) {
    const code = build.code_objects[name];
    if (code === undefined) throw new Error(`a build of pgo-build has ${name}`);
    deps.report.info(`${reproducer.config.name}: ${name}`);
    const file = relative(reproducer.root, join(folder, code.file));
    const { report } = await judge(validateOptionsSchema.parse({ ...validating, variant: file }), quiet(deps));
    const isRight = report.verdict === 'pass';
    const figures = isRight ? await measureVariant(file, options, device.work, deps) : capturedTimes;
    variants.push({
      ...{ name, file, sha256: code.sha256, verdict: report.verdict, summary: report.summary },
      ...figures,
      ...spillsOf(folder, name, reproducer.config.symbol),
    });
  }
  return { captured, variants };
}

/** Tolerances that the user chose for variants: from kernel.json, else from the app. */
function validatingOptions(reproducer: Reproducer, options: UseInReproducerOptions): object {
  const { iterations: _iterations, ...replaying } = options;
  const appFile = join(reproducer.workspaceRoot, reproducer.config.app.root, kernloopFile);
  const app = existsSync(appFile)
    ? readJson(appFile, kernloopJsonSchema, 'CONFIG_MISSING', 'restore the file').options['validate']
    : {};
  return { ...app, ...reproducer.config.options['validate'], ...replaying };
}

/** Everything that decides the choice, if nothing is timed. */
function keyOf(reproducer: Reproducer, device: Device, options: UseInReproducerOptions, deps: Deps): string {
  const { root } = reproducer;
  const paths = pgoPaths(root);
  const { reproducer: _folder, store: _store, ...others } = options;
  const captures = ['capture', ...several(join(root, 'captures')).map((name) => join('captures', name))];
  const files = captures.flatMap((folder) =>
    ['capture.json', 'selfcheck.json'].map((name) => join(root, folder, name)),
  );
  return sha256(
    JSON.stringify([
      version,
      sha256OfFile(paths.variantsJson),
      files.map((file) => (existsSync(file) ? sha256OfFile(file) : 'none')),
      [device.description.identity, sha256OfFile(deps.native.replay), sha256OfFile(deps.native.softgpu)],
      validatingOptions(reproducer, options),
      reproducer.config.args,
      others,
    ]),
  );
}

function several(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The previous choice, if its files are unchanged. */
function decided(reproducer: Reproducer, key: string): ChosenVariant | null {
  const { choice } = pgoPaths(reproducer.root);
  if (!existsSync(choice)) return null;
  const parsed = chosenVariantSchema.safeParse(readJson(choice, chosenVariantSchema.loose(), 'PGO_BUILD_MISSING', ''));
  if (!parsed.success || parsed.data.key !== key) return null;
  // The kept variant was not placed if a file of the user's was in the way, which may be gone now.
  const isWhole = parsed.data.kept === null || parsed.data.placed !== null;
  return isWhole && isPlaced(reproducer.root, parsed.data.placed) ? parsed.data : null;
}
