import { join, resolve } from 'node:path';
import type { Device } from '../device/device';
import { isEmulated } from '../device/emulated-driver';
import { withDevice } from '../device/lock';
import { countsLdsConflicts } from '../device/softgpu';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { checkOf, impossibleTimes, isSteady, judging, warnIfUnproven } from './check';
import { clocksApart, mergeConditions } from './conditions';
import { explain } from './explain';
import { codeBytes, linesOf, summarise } from './hot-spots';
import { lensArguments, lensResult, requireVariant } from './lens';
import { measure } from './measure';
import type { ReplayOptions } from './options';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from './program';
import { launchOverrides } from './overrides';
import type { Side } from './replay-events';
import { printReplay } from './replay-text';
import { keepResult, keptPaths } from '../reproducer/kept-results';
import { openReproducer, type Code, type Reproducer } from '../reproducer/reproducer';
import type { DispatchResult, Measured, ReplayResult, Speed } from './result';
import { nameOfCode, openSessions, type ReplaySession } from './session';
import { kernelResources } from '../toolchain/kernel-resources';
import { SourceFiles } from './source-files';
import { compareSpeed, launchesOf, processCount } from './speed';
import { describeFault } from './fault-text';
import { processorOf } from '../toolchain/target';

/**
 * Replays a captured dispatch or several, or a variant of the kernel over them, reports what each took, and keeps the
 * result for the page of the kernel.
 */
export async function replay(options: ReplayOptions, deps: Deps): Promise<ReplayResult> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  const { result, session } = await replayAll(options, deps, undefined, reproducer);
  keep(result, session, options, deps);
  return result;
}

/** Replays code that a stage compares by itself: the page of the kernel shows what users replayed. */
export async function replayUnkept(options: ReplayOptions, deps: Deps, code?: Code): Promise<ReplayResult> {
  return (await replayAll(options, deps, code)).result;
}

async function replayAll(
  options: ReplayOptions,
  deps: Deps,
  code?: Code,
  reproducer?: Reproducer,
): Promise<{ result: ReplayResult; session: ReplaySession }> {
  const { sessions, otherKernels } = await openSessions(options, deps, 'main', code, reproducer);
  const [first] = sessions;
  checkOptions(options, first, sessions.length);
  for (const session of sessions) warnIfUnproven(session, deps);
  const results: DispatchResult[] = [];
  await withDevice(first.device, deps, async () => {
    for (const session of sessions) {
      const run = new Replaying(session, options, deps);
      results.push(await (options.compare ? run.compare() : run.measure()));
    }
  });
  const [worst] = results.toSorted((a, b) => b.exit_code - a.exit_code);
  if (!worst) throw new Error('there is at least one session');
  const result: ReplayResult = {
    ...worst,
    dispatches: results.length > 1 ? results : [],
    not_replayed: otherKernels.map(({ dispatch, shown, capture: { kernel } }) => ({
      dispatch,
      capture: shown,
      kernel: kernel.name,
    })),
  };
  printReplay(result, first, deps);
  return { result, session: first };
}

/** Keeps the latest result of each kind for reports, unless the launch was overridden. */
function keep(
  result: ReplayResult,
  { reproducer, code, capture }: ReplaySession,
  options: ReplayOptions,
  deps: Deps,
): void {
  if (result.exit_code !== exitCodes.pass || (result.overridden && result.overridden.of_variant !== true)) return;
  const paths = keptPaths(reproducer.root);
  const digest = code.kind === 'variant' ? code.sha256 : capture.kernel.code_object;
  if (options.explain) keepResult(paths.explained, digest, result, deps);
  if (options.hotSpots) keepResult(paths.hotSpots, digest, result, deps);
  else keepResult(options.compare ? paths.compare : paths.replay, digest, result, deps);
}

function checkOptions(options: ReplayOptions, session: ReplaySession, dispatches: number): void {
  if (options.compare && session.code.kind === 'captured') {
    throw new KernloopError(
      'USAGE',
      `there is no variant to compare with: this is ${nameOfCode(session.code)}`,
      'edit and recompile, or name a code object with --variant',
    );
  }
  if (options.hotSpots && session.device.work !== 'wave_instructions') {
    throw new KernloopError(
      'USAGE',
      '--hot-spots needs the software GPU: hardware does not tell what each instruction did',
      "leave it out, or use the vendor's profiler on this command (`rocprofv3`, `ncu`)",
    );
  }
  if (options.dump !== undefined && dispatches > 1) {
    throw new KernloopError(
      'USAGE',
      `--dump writes the memory of one dispatch, and ${dispatches} are to be replayed`,
      'name one with --capture',
    );
  }
  if ((options.lens === undefined) !== (options.lensOutput === undefined)) {
    throw new KernloopError(
      'USAGE',
      '--lens says what is read back, and --lens-output where to: one of them is missing',
      'give both',
    );
  }
  if (options.lens !== undefined) requireVariant(session);
  if (options.lens !== undefined && dispatches > 1) {
    throw new KernloopError(
      'USAGE',
      `--lens reads back what one replay left, and ${dispatches} dispatches are to be replayed`,
      'name one with --capture',
    );
  }
  if (options.hotSpots && options.hotSpotsBy === 'conflicts' && !countsLdsConflicts(session.device.description.isa)) {
    throw new KernloopError(
      'USAGE',
      `conflicts in LDS are not counted on ${processorOf(session.device.description.isa)}: how its lanes share the banks is not published`,
      'order hot spots by something else, or capture and replay the kernel on gfx90a',
    );
  }
}

class Replaying {
  private readonly iterations: number;
  private readonly cache: string | null;

  constructor(
    private readonly session: ReplaySession,
    private readonly options: ReplayOptions,
    private readonly deps: Deps,
  ) {
    const { measuring } = session.device;
    this.iterations = options.iterations ?? measuring.iterations;
    this.cache = options.cache ?? measuring.cache;
  }

  async measure(): Promise<DispatchResult> {
    return await this.summarise(
      await this.once({ ...this.session.request, ...this.dump(), ...this.lens(0) }, this.iterations),
      'variant',
      null,
    );
  }

  /** Compares captured code and variant in the same processes, over one restored memory. */
  async compare(): Promise<DispatchResult> {
    const request = { ...this.session.request, ...judging(this.session), sideBySide: true };
    const outcomes: ReplayOutcome[] = [];
    // Memory ends up the same in each process, so only the first dumps it.
    for (const [orderSeed, launches] of this.shares().entries()) {
      const written = orderSeed === 0 ? this.dump() : {};
      const outcome = await this.once({ ...request, orderSeed, ...written, ...this.lens(orderSeed) }, launches);
      outcomes.push(outcome);
      if (isStopped(outcome)) break;
    }
    const last = outcomes.at(-1);
    if (!last) throw new Error('there is at least one process');
    return await this.summarise(
      {
        ...last,
        lens: outcomes[0]?.lens ?? null,
        iterations: outcomes.flatMap(({ iterations }) => iterations),
        checked: outcomes.flatMap(({ checked }) => checked),
        conditions: outcomes.flatMap(({ conditions }) => conditions),
      },
      last.result.side ?? 'variant',
      compareSpeed(outcomes.map(({ iterations }) => iterations)),
    );
  }

  /** Launches of each side per process. Counts repeat exactly, so they need only one process. */
  private shares(): number[] {
    if (this.session.device.work !== 'duration_ns') return [this.iterations];
    const shares = Array.from({ length: processCount }, (_, process) => launchesOf(process, this.iterations));
    return shares.filter((launches) => launches > 0);
  }

  private dump(): Partial<ReplayRequest> {
    const { dump, dumpOnly, dumpTime } = this.options;
    if (dump === undefined && (dumpOnly.length > 0 || dumpTime !== undefined)) {
      throw new KernloopError(
        'USAGE',
        '--dump-only and --dump-time say what --dump writes, which is missing',
        'add --dump FOLDER',
      );
    }
    if (dump === undefined) return {};
    return { dump: resolve(dump), dumpOnly, ...(dumpTime === undefined ? {} : { dumpTime }) };
  }

  /** Lens contents may differ between processes, so those of later processes get their own folders. */
  private lens(process: number): Partial<ReplayRequest> {
    const { lens, lensOutput } = this.options;
    if (lens === undefined || lensOutput === undefined) return {};
    const folder = resolve(lensOutput);
    const output = process === 0 ? folder : join(folder, `process-${process + 1}`);
    return lensArguments(this.session, resolve(lens), output);
  }

  private once(request: ReplayRequest, iterations: number): Promise<ReplayOutcome> {
    const { warmup, seed, threads } = this.options;
    const { device } = this.session;
    // A seed that the device does not support is passed only if the user asked for it; the program then refuses it.
    const order = seed ?? (device.seeded ? 1 : undefined);
    return replayOnce(
      {
        ...request,
        ...this.overrides(),
        iterations,
        warmup: warmup ?? device.measuring.warmup,
        ...(this.cache === null ? {} : { cache: this.cache }),
        ...(order === undefined ? {} : { seed: order }),
        ...(threads === undefined ? {} : { threads }),
        ...(device.work === 'wave_instructions' ? { profile: true } : {}),
      },
      device,
      this.deps,
    );
  }

  /** The user's launch options replace the launch that the variant's source gives. */
  private overrides(): Partial<ReplayRequest> {
    const given = launchOverrides(this.options, this.session.reproducer.config);
    return Object.keys(given).length === 0 ? {} : { ...given, ownLaunch: false };
  }

  /** Measurements of one side. */
  private async measured(outcome: ReplayOutcome, wanted: Side, code: Code): Promise<Measured> {
    const { iterations, conditions } = outcome;
    return {
      ...measure(this.session.device, { iterations: ofSide(iterations, wanted) }),
      conditions: mergeConditions(ofSide(conditions, wanted).map(({ event: _event, side: _side, ...rest }) => rest)),
      ...(await this.looked(outcome, wanted, code)),
    };
  }

  /** Hot spots and explanation, which need the code object. */
  private async looked(
    outcome: ReplayOutcome,
    wanted: Side,
    code: Code,
  ): Promise<Pick<Measured, 'hot_spots' | 'explanation'>> {
    const { hotSpots: asked, hotSpotsBy, explain: explains } = this.options;
    if (!asked && !explains) return { hot_spots: null, explanation: null };
    const { capture, request, reproducer } = this.session;
    const hotSpots = ofSide(outcome.hotSpots, wanted);
    const bytes = await codeBytes(code, this.session, this.deps);
    const sources = new SourceFiles(reproducer);
    const lines = linesOf(bytes, hotSpots);
    const symbol = (code.kind === 'variant' ? request.symbol : undefined) ?? capture.kernel.symbol;
    const replayed = {
      iterations: ofSide(outcome.iterations, wanted),
      hotSpots,
      overridden: wanted === 'captured' && outcome.overridden?.of_variant === true ? null : outcome.overridden,
      capture,
      resources: explains && typeof bytes !== 'string' ? await kernelResources(bytes, symbol, this.deps) : null,
      lines,
      sources,
    };
    return {
      hot_spots: asked ? summarise(hotSpots, lines, hotSpotsBy, sources) : null,
      explanation: explains ? explain(replayed) : null,
    };
  }

  private async summarise(outcome: ReplayOutcome, side: Side, speed: Speed | null): Promise<DispatchResult> {
    const { capture, code, dispatch } = this.session;
    const { faults, result, restored, overridden, guard, checked, caches } = outcome;
    const own = await this.measured(outcome, 'variant', code);
    const baseline = this.options.compare ? await this.measured(outcome, 'captured', { kind: 'captured' }) : null;
    const check = checkOf(checked);
    return {
      kernel: capture.kernel.name,
      dispatch: dispatch.dispatch,
      capture: dispatch.shown,
      code: nameOfCode(code),
      verdict: result.verdict === 'fault' || result.verdict === 'limit' ? result.verdict : 'ran',
      exit_code: isStopped(outcome) ? exitCodes.fault : exitCodes.pass,
      iterations: ofSide(outcome.iterations, 'variant').length,
      ...own,
      cache: caches?.is_modelled === false ? null : this.cache,
      caches,
      fault: faults[0] ? describeFault(faults[0]) : null,
      stopped: isStopped(outcome) ? side : null,
      restored,
      overridden,
      launch: this.options.launch ?? 'direct',
      guard,
      lens: outcome.lens && lensResult(outcome.lens, resolve(this.options.lensOutput ?? '')),
      baseline,
      speed: check && !isSteady(check) ? null : speed,
      check,
      doubts: [...softwareTimes(this.session.device), ...doubtsOf(own, baseline, outcome)],
    };
  }
}

const softwareTimes = ({ description }: Device): string[] =>
  isEmulated(description) ? ["the software GPU's times: they say nothing about a GPU"] : [];

function doubtsOf(own: Measured, baseline: Measured | null, { checked }: ReplayOutcome): string[] {
  const clocks = own.conditions && baseline?.conditions ? clocksApart(baseline.conditions, own.conditions) : null;
  const medians = { captured: baseline?.duration_ns?.median, variant: own.duration_ns?.median };
  return [...(clocks ? [clocks] : []), ...impossibleTimes(checked, medians)];
}

/** Events of a replay that is not side by side have no side. */
function ofSide<Event extends { side?: Side | undefined }>(events: readonly Event[], wanted: Side): Event[] {
  return events.filter(({ side = 'variant' }) => side === wanted);
}

function isStopped({ result }: ReplayOutcome): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit';
}
