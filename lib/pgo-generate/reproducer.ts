import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { captureFile, readCapture } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import { variantExtension } from '../language/languages';
import { openReplayDevice } from '../replay/replay-device';
import { currentBuild, requireBuild, type BuildJson } from '../pgo/build-json';
import { readRecipe } from '../pgo/compile';
import { refuseForeignPgo } from '../pgo/own-folders';
import { pgoPaths } from '../pgo/layout';
import { requirePgoLanguage } from '../pgo/supported';
import { runPgo, type ConvertedEvent } from '../pgo/pgo-program';
import { optionsOf } from '../pgo-instrument/key';
import { instrument } from '../pgo-instrument/reproducer';
import { replayThroughLens, type LensReplay } from '../replay/lens';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { sha256OfFile, writeJson } from '../support/files';
import { replaceFolder } from '../support/leftovers';
import { formatCount } from '../support/report';
import type { GenerateFromReproducerOptions } from './options';
import type { GenerateJson, ReproducerProfiles } from './result';

/**
 * Prefixes of symbols that the plugin adds to a translation unit: counters, their description, and names
 * (native/pgo/pass/README.md).
 */
const prefixes = ['__prof', '__llvm_prf_names_', '__llvm_offload_prf_', '__kernloop_prf_'];

/** Builds the instrumented code if it is missing, replays the captured dispatches with it, and writes the counts. */
export async function generateFromReproducer(
  options: GenerateFromReproducerOptions,
  deps: Deps,
): Promise<ReproducerProfiles> {
  const reproducer = openReproducer(options.reproducer);
  readRecipe(reproducer);
  return count(reproducer, await builtOrBuild(reproducer, deps), options, deps);
}

export async function generateTask(options: GenerateFromReproducerOptions, deps: Deps): Promise<boolean> {
  const reproducer = openReproducer(options.reproducer);
  const { instrumented } = pgoPaths(reproducer.root);
  const build = requireBuild(instrumented, reproducer, null, ['pgo-generate', 'pgo-instrument'], deps);
  await count(reproducer, build, options, deps);
  return true;
}

/** Builds with the options of the last pgo-instrument, if there was one. */
async function builtOrBuild(reproducer: Reproducer, deps: Deps): Promise<BuildJson> {
  const current = currentBuild(pgoPaths(reproducer.root).instrumented, reproducer, null, deps);
  if (current !== null) return current;
  return (await instrument(reproducer, optionsOf(reproducer), deps)).build;
}

async function count(
  reproducer: Reproducer,
  build: BuildJson,
  options: GenerateFromReproducerOptions,
  deps: Deps,
): Promise<ReproducerProfiles> {
  const paths = pgoPaths(reproducer.root);
  const code = build.code_objects['instrumented'];
  if (code === undefined) throw new Error('a build of pgo-instrument has one code object');
  refuseForeignPgo(paths.raw);
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-pgo-'));
  try {
    const [generated, runs] = await replaceFolder(paths.raw, async (folder) => {
      const replays = await replayThroughLens(
        {
          ...options,
          ...{ capture: options.capture ?? 'all', guard: false, judge: true },
          variant: join(paths.instrumented, code.file),
          lens: { variables: prefixes.map((prefix) => ({ prefix })) },
          output: scratch,
        },
        deps,
      );
      const converted: Run[] = [];
      for (const replayed of replays) converted.push(await convert(replayed, folder, deps));
      const device = await openReplayDevice(options, [readCapture(reproducer.capture)], deps);
      const described = describe(reproducer, build, device, converted);
      writeJson(join(folder, basename(paths.generateJson)), described);
      refuseForeignPgo(paths.raw);
      return [described, converted] as const;
    });
    return summarise(reproducer, generated, runs, deps);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Run {
  replayed: LensReplay;
  units: ConvertedEvent[];
}

/** Converts the counters after one replay to raw profiles. */
async function convert(replayed: LensReplay, folder: string, deps: Deps): Promise<Run> {
  const { verdict, capture, dispatch } = replayed;
  if (verdict === 'fault' || verdict === 'limit') throw stopped(replayed);
  if (replayed.reason !== null && replayed.variables.length === 0) throw notLaunched(replayed);
  const base = join(folder, `${dispatch}.profraw`);
  const events = await runPgo(['convert', '--input', replayed.folder, '--output', base], deps);
  const units = events.filter((event) => event.event === 'converted');
  for (const { text } of units) deps.report.info(`${capture}: ${text}`);
  return { replayed, units };
}

/** Counters take registers: code with them may be too large for the app's launch. */
function notLaunched({ capture, reason }: LensReplay): KernloopError {
  return new KernloopError(
    'LAUNCH_IMPOSSIBLE',
    `${capture}: ${reason ?? ''}`,
    'counters take registers: capture a launch of smaller blocks, or give the kernel launch bounds',
  );
}

function stopped({ capture, verdict, fault }: LensReplay): KernloopError {
  if (verdict === 'fault') {
    return new KernloopError(
      'DEVICE_FAULT',
      `${capture}: the instrumented code faulted${fault === null ? '' : `: ${fault}`}`,
      'see whether the variant without counters does, too: `kernloop validate`',
    );
  }
  return new KernloopError(
    'DEVICE_LIMIT',
    `${capture}: the instrumented code ran past its limit`,
    'raise --limit-factor (on hardware --limit-seconds): counters add instructions, most where a kernel does little',
  );
}

function describe(reproducer: Reproducer, build: BuildJson, device: Device, runs: readonly Run[]): GenerateJson {
  const [unit] = runs.flatMap(({ units }) => units);
  if (unit === undefined) {
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `${reproducer.config.name}: the instrumented code has no counters`,
      'run `kernloop pgo-instrument` again',
    );
  }
  const { kind, identity } = device.description;
  return {
    schema: 'kernloop.pgo-generate/1',
    kernel: reproducer.config.name,
    symbol: reproducer.config.symbol,
    arch: unit.arch,
    wave_size: unit.wave_size,
    sampling: unit.sampling,
    instrumented_sha256: build.code_objects['instrumented']?.sha256 ?? '',
    device: { kind, identity },
    dispatches: runs.map(({ replayed, units }) => ({
      dispatch: replayed.dispatch,
      capture_sha256: sha256OfFile(captureFile(join(reproducer.root, replayed.capture))),
      verdict: replayed.verdict,
      files: units.flatMap(({ files }) => files.map((file) => basename(file))),
    })),
  };
}

function summarise(
  reproducer: Reproducer,
  generated: GenerateJson,
  runs: readonly Run[],
  deps: Deps,
): ReproducerProfiles {
  const extension = variantExtension(requirePgoLanguage(reproducer), reproducer.config.device.kind);
  const dispatches = runs.map(({ replayed }, index) => ({
    dispatch: replayed.dispatch,
    capture: replayed.capture,
    verdict: replayed.verdict,
    wave_instructions: replayed.waveInstructions,
    captured_wave_instructions:
      readCapture(join(reproducer.root, replayed.capture)).execution.wave_instructions ?? null,
    files: generated.dispatches[index]?.files ?? [],
  }));
  for (const one of dispatches) {
    deps.report.result(`${reproducer.config.name}: ${one.capture}: counted${cost(one)}: pgo/raw/${one.files[0] ?? ''}`);
    if (one.verdict !== 'fail') continue;
    deps.report.warn(
      `${one.capture}: the instrumented code leaves other bytes in memory than the app did: where that is no matter of rounding, its counts are not those of the app's computation (\`kernloop validate --variant pgo/instrumented/instrumented.${extension}\`)`,
    );
  }
  const { kernel, arch, wave_size, sampling, instrumented_sha256 } = generated;
  return {
    ...{ subject: 'reproducer', kernel, folder: pgoPaths(reproducer.root).raw },
    ...{ arch, wave_size, sampling, instrumented_sha256, dispatches, exit_code: exitCodes.pass },
  };
}

function cost({
  wave_instructions: now,
  captured_wave_instructions: before,
}: ReproducerProfiles['dispatches'][number]): string {
  if (now === null || before === null || before === 0) return '';
  return `, ${formatCount(now)} wave-instructions (${(now / before).toFixed(2)}× the captured code)`;
}
