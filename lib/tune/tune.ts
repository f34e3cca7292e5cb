import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { judgingOptions, replayingOptions } from '../candidate/judging';
import { Snapshot } from '../candidate/snapshot';
import type { Deps } from '../deps/deps';
import { renderSvg } from '../plot/svg';
import { compilerOf, readRecipe } from '../recompile/recompile';
import { chooseDispatches } from '../replay/captured-dispatches';
import { openReplayDevice } from '../replay/replay-device';
import { capturedValues } from '../reproducer/configured-launch';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { isInside, writeFileAtomic, writeJson } from '../support/files';
import { askedFiles } from '../toolchain/probed-names';
import { applyChanges, changesOf, patchText } from './apply';
import { takeBackKilledApply, type Change } from './applying';
import { autotunedSpace } from './autotuned-space';
import { cppSubject } from './cpp-subject';
import type { TuneOptions } from './options';
import { tunePaths } from './paths';
import { tunePlot } from './plot';
import type { TuneResult } from './result';
import { TuneRun } from './run';
import { configurations, readConstraints, readParameters } from './space';
import { printTune } from './text';
import type { Search } from './trial';
import { keys, trialsOf } from './trials';
import { tritonSubject } from './triton-subject';
import { unchangedCheck } from './unchanged';
import { requireOptionsOfDevice } from '../validate/device-options';

/**
 * Tries every configuration of a search space on the captured inputs; only candidates that validate are scored and can
 * win. `judged`: keys that other jobs have just judged for this search.
 */
export async function tune(options: TuneOptions, deps: Deps, judged?: ReadonlySet<string>): Promise<TuneResult> {
  const snapshot = snapshotOf(options, deps);
  try {
    const prepared = await prepare(options, snapshot, deps);
    const { search, trials, found, parameters, constraints, subject, chosen, device } = prepared;
    const { reproducer, requireUnchanged } = search;
    const run = new TuneRun(search, trials, deps, judged);
    await run.all();
    const capturedScore = await run.captured();
    const best = await run.best();
    requireUnchanged();
    const result: TuneResult = {
      schema: 'kernloop.tune/1',
      kernel: reproducer.config.name,
      device: { kind: device.description.kind, identity: device.description.identity },
      scored_by: device.work,
      dispatches: chosen.map(({ dispatch }) => dispatch),
      space: {
        parameters: parameters.map(({ name, values }) => ({
          name,
          values: [...values],
          kind: subject.kinds[name] ?? '',
        })),
        constraints: constraints.map(({ text }) => text),
        search: options.search,
        seed: options.search === 'random' ? options.seed : null,
        configurations: found.total,
        excluded: found.excluded,
      },
      captured: capturedScore,
      candidates: run.candidates(),
      best: best?.key ?? null,
      best_inputs: best?.outcome?.inputs ?? null,
      reason: run.reason(best),
      evaluated: trials.filter(({ fromCache }) => !fromCache).length,
      from_cache: trials.filter(({ fromCache }) => fromCache).length,
      files: shownFiles(reproducer, best !== null),
      applied: [],
    };
    const changes = best === null ? [] : changesOf(reproducer, snapshot, best.variation);
    await writeResult(reproducer, result, changes);
    for (const name of run.withoutEffect(subject.kinds)) {
      deps.report.warn(`${name} changes nothing in the kernel's code, which is the same for each of its values`);
    }
    printTune(result, deps);
    const unjudged = run.noneJudged();
    if (unjudged) throw unjudged;
    if (!options.apply || best === null) return result;
    for (const line of patchText(changes).trimEnd().split('\n')) deps.report.result(line);
    return { ...result, applied: await applyChanges(reproducer, changes, search.judging, deps) };
  } finally {
    snapshot.remove();
  }
}

/** Judges one share of the candidates on one of several machines, caches the outcomes, and returns their keys. */
export async function tuneShare(
  options: TuneOptions,
  { index, count }: { index: number; count: number },
  deps: Deps,
): Promise<string[]> {
  const snapshot = snapshotOf(options, deps);
  try {
    const { search, trials } = await prepare(options, snapshot, deps);
    const own = trials.filter((_, place) => place % count === index);
    await new TuneRun(search, own, deps).all();
    return own.flatMap(({ key, fromCache }) => (fromCache ? [] : [key]));
  } finally {
    snapshot.remove();
  }
}

function snapshotOf({ reproducer }: TuneOptions, deps: Deps): Snapshot {
  const { root } = openReproducer(reproducer);
  takeBackKilledApply(root, deps);
  return new Snapshot(root);
}

/** Prepares a search: the space, and a trial for each of its configurations. */
async function prepare(options: TuneOptions, snapshot: Snapshot, deps: Deps) {
  const requireUnchanged = unchangedCheck(options);
  const reproducer = openReproducer(options.reproducer);
  const { recipe, overlay } = readRecipe(reproducer);
  const constraints = readConstraints(options.constraint);
  const { chosen } = chooseDispatches(reproducer, options.capture, 'all');
  const [main] = chosen;
  if (!main) throw new Error('the capture in capture/ is of its own kernel');
  const autotuned = recipe.triton !== undefined && options.set.length === 0 ? autotunedSpace(main.folder) : null;
  const parameters = autotuned?.parameters ?? readParameters(options.set);
  const device = await openReplayDevice(options, [main.capture], deps);
  requireOptionsOfDevice(options, device);
  warnOfFilesOutside(reproducer.root, snapshot, deps);
  const captured = capturedValues(main.capture, reproducer.config.args);
  const subject =
    recipe.triton === undefined
      ? await cppSubject(snapshot.root, reproducer.config, recipe, parameters, captured, options)
      : await tritonSubject(snapshot.root, parameters, captured, options);
  const space = { parameters, constraints, listed: autotuned?.configurations };
  const found = configurations(space, subject.known, options);
  if (autotuned !== null)
    deps.report.info(
      `searched are the ${autotuned.configurations.length} configurations of the kernel's own @triton.autotune`,
    );
  const search: Search = {
    ...{ reproducer, recipe, overlay, snapshot, options },
    compiler: await compilerOf(recipe, reproducer, deps),
    judging: judgingOptions(reproducer, options),
    replaying: replayingOptions(options),
    work: device.work,
    requireUnchanged,
  };
  const keyOf = keys(search, chosen, device, deps);
  const trials = trialsOf(
    subject,
    found.configurations,
    parameters.map(({ name }) => name),
    reproducer,
    keyOf,
  );
  return { search, trials, found, parameters, constraints, subject, chosen, device };
}

function shownFiles({ root }: Reproducer, hasBest: boolean): TuneResult['files'] {
  const paths = tunePaths(root);
  const shown = (path: string): string => relative(root, path);
  return {
    result: shown(paths.result),
    plot: shown(paths.plot),
    svg: shown(paths.svg),
    patch: hasBest ? shown(paths.patch) : null,
  };
}

async function writeResult({ root }: Reproducer, result: TuneResult, changes: readonly Change[]): Promise<void> {
  const paths = tunePaths(root);
  const spec = tunePlot(result);
  writeJson(paths.plot, spec);
  writeFileAtomic(paths.svg, await renderSvg(spec));
  writeFileAtomic(paths.patch, patchText(changes));
  writeJson(paths.result, result);
}

/** Warns once about files outside: candidates are compiled in copies that lack them, so each would fail on its own. */
function warnOfFilesOutside(root: string, { digests }: Snapshot, deps: Deps): void {
  const sources = Object.keys(digests).map((name) => join(root, name));
  const outside = askedFiles(sources, root).filter((path) => !isInside(root, path) && existsSync(path));
  if (outside.length === 0) return;
  deps.report.warn(
    `${outside.slice(0, 3).join(', ')} ${outside.length === 1 ? 'lies' : 'lie'} outside of the reproducer, and is not there for candidates, ` +
      'which are compiled in copies: if none compiles, put it into deps/',
  );
}
