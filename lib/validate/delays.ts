import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { delayParameters, delayPtx, type DelayedPtx, type DelayLaunch, type DelaySite } from '../ptx/delays';
import { rewrittenCode } from '../recompile/rewritten-code';
import { lensFile } from '../replay/lens';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import { SourceFiles } from '../replay/source-files';
import type { Deps } from '../deps/deps';
import { stoppable } from '../deps/stoppable';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { writeJson } from '../support/files';
import { argumentNames, comparedRegions } from './regions';
import { describeFault } from '../replay/fault-text';
import type { Delays, DispatchReport } from './report-json';
import { passes, runCase, verdictOf, type Case, type Run } from './run-case';
import { withDelayFailure, withDelays } from './delays-text';

/** Additional seeds for the captured code if its own results vary: its intervals come from replays without delays. */
const seedsOfVarying = 12;
/** Launches per attempt, because a single one may miss an intermittent failure. */
const attempts = 2;

/** Code with delays inserted, and how to replay it. */
interface DelayedCode {
  sites: readonly DelaySite[];
  left: number;
  /** Runs launches in one process, up to the first wrong one; `within` allows an early end when time is up. */
  run: (launches: readonly DelayLaunch[], within?: Within) => Promise<Ran>;
}

/** Limit: at least `replays` launches run, and none starts later than `seconds`. */
interface Within {
  replays: number;
  seconds: number;
}

/** Number of launches that ran, and the last one. */
interface Ran {
  run: Run;
  count: number;
}

/** Seconds for each of `--delays`. Launches in which half of the blocks wait run while time is left. */
const secondsOfReplay = 0.06;
/** Maximum number of sites at which half of the blocks wait. */
const mostHeld = 16;

export interface DelaysBegun {
  /** Replaces a pass by a failure that the captured code does not have. */
  judge(report: DispatchReport): Promise<DispatchReport>;
  /** Cleans up, whether or not `judge` was called. */
  end(): Promise<void>;
}

/**
 * Size of a capture above which delays are not replayed in parallel: two processes would each hold the capture, the
 * variant and snapshots in device memory.
 */
const mostBytesBeside = 1024 ** 3;

/** Code with delays, and its launches if they run in parallel with the usual replays. */
interface Made {
  code: DelayedCode | string;
  begun: Promise<Settled<Ran>> | null;
}

/**
 * Judges whether correct CUDA code stays correct while warps wait before their accesses and barriers. Compilation
 * starts now. The launches follow as soon as `held` is true, in parallel with the usual replays, because starting a
 * process on a GPU takes longer than the launches. `held`: whether this stage has the device; false if it never will.
 */
export function beginDelays(judged: Case, held: Promise<boolean>, deps: Deps): DelaysBegun {
  const { session, delays } = judged;
  if (delays === 0 || session.code.kind !== 'variant')
    return { judge: (report) => Promise.resolve(report), end: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-delays-'));
  const work = stoppable(deps);
  const isSmall = session.capture.scope.tracked_bytes <= mostBytesBeside;
  const making = settled(
    delayed(judged, join(folder, 'variant'), work.deps).then(async (code): Promise<Made> => {
      const isRun = (await held) && isSmall && typeof code !== 'string' && code.sites.length > 0;
      return { code, begun: isRun ? settled(firstLaunches(code, delays)) : null };
    }),
  );
  return {
    judge: async (report) => {
      if (report.verdict !== 'pass') return report;
      return await judgeBy(valueOf(await making), folder, judged, report, delays, deps);
    },
    end: async () => {
      work.stop();
      const made = await making;
      if ('value' in made) await made.value.begun;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Settled<T> = { value: T } | { error: unknown };

/** Never rejects, because nothing may be awaiting it yet. */
function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function valueOf<T>(settled: Settled<T>): T {
  if ('error' in settled) throw settled.error;
  return settled.value;
}

/** Runs all requested launches, and those with half of the blocks late as time allows. */
const firstLaunches = (code: DelayedCode, replays: number): Promise<Ran> =>
  code.run(launchesOf(code, replays), { replays, seconds: secondsOfReplay * replays });

async function judgeBy(
  { code, begun }: Made,
  folder: string,
  judged: Case,
  report: DispatchReport,
  replays: number,
  deps: Deps,
): Promise<DispatchReport> {
  const said: Delays = {
    ...{ replays: 0, halves: 0, of_halves: 0, sites: 0, left: 0, judged: false, late_stores: false },
    ...{ reason: null, seed: null, half: null, places: [] },
  };
  const notJudged = (reason: string, beside: Partial<Delays> = {}): DispatchReport =>
    withDelays({ ...report, delays: { ...said, ...beside, reason } });
  if (typeof code === 'string') return notJudged(code);
  const { sites, left } = code;
  const launches = launchesOf(code, replays);
  const known = { sites: sites.length, left, of_halves: launches.length - replays };
  if (sites.length === 0) return notJudged('the kernel itself has no access to global or shared memory', known);
  const { run, count } = begun ? valueOf(await begun) : await firstLaunches(code, replays);
  const ran = { replays: Math.min(count, replays), halves: Math.max(0, count - replays) };
  if (passes(run)) return withDelays({ ...report, delays: { ...said, ...known, ...ran, judged: true } });
  const failing = launches[count - 1];
  if (failing === undefined) throw new Error('the launch that failed is one of those that were asked for');
  const found = {
    ...known,
    ...ran,
    seed: failing.seed,
    half: failing.half?.side ?? null,
    late_stores: failing.half?.late ?? false,
  };
  if (!passes((await code.run([{ seed: failing.seed, first: 0, count: 0 }])).run))
    return notJudged('the code that was made for them fails without any delay, too', found);
  const captured = await capturedWithstands(judged, replays, join(folder, 'captured'), deps);
  if (captured !== null) return notJudged(captured, found);
  const files = new SourceFiles(judged.session.reproducer);
  const reduced = await withLines(await reduce(code, failing), code, () =>
    delayed(judged, join(folder, 'lines'), deps, { lineInfo: true }),
  );
  const places = new Set(reduced.map((site) => placeText(site, files)));
  return failed(judged, report, run, { ...said, ...found, judged: true, places: [...places] });
}

/** Compiles once more if the PTX that recompile kept has no line information. */
async function withLines(
  found: readonly DelaySite[],
  { sites }: DelayedCode,
  compileWithLines: () => Promise<DelayedCode | string>,
): Promise<readonly DelaySite[]> {
  if (found.some(({ places }) => places.length > 0)) return found;
  const lined = await compileWithLines();
  if (typeof lined === 'string' || lined.sites.length !== sites.length) return found;
  return found.map((site) => lined.sites[sites.indexOf(site)] ?? site);
}

/** Seeds of two halvings: the block that must be early, the last to take a ticket, waits in one of four halves. */
const halvings = [1, 2];

/** Seeds of two halvings: in one case of four the block that must be early, the last to take a ticket, still waits. */
function launchesOf({ sites }: DelayedCode, replays: number): DelayLaunch[] {
  const random = Array.from({ length: replays }, (_, index) => ({ seed: index + 1, first: 0, count: sites.length }));
  const held = heldSites(sites);
  const halves = halvings.flatMap((seed) =>
    held.flatMap((site) => ([0, 1] as const).map((side) => ({ seed, first: 0, count: 0, half: { site, side } }))),
  );
  const late = overtaking(sites).flatMap((site) =>
    halvings.flatMap((seed) =>
      ([0, 1] as const).map((side) => ({ seed, first: 0, count: 0, half: { site, side, late: true } })),
    ),
  );
  return [...random, ...late, ...halves];
}

/** Last sites first, because others wait for what a kernel announces at its end. */
const overtaking = (sites: readonly DelaySite[]): number[] =>
  sites
    .flatMap(({ overtakes }, index) => (overtakes === null ? [] : [index]))
    .slice(-mostHeld)
    .reverse();

/** Stores and atomics first, because others wait for them; the last first, because flags follow their data. */
function heldSites(sites: readonly DelaySite[]): number[] {
  const of = (kind: DelaySite['global']): number[] =>
    sites.flatMap(({ global }, index) => (global === kind ? [index] : [])).reverse();
  return [...spread(of('store'), mostHeld), ...of('load')].slice(0, mostHeld);
}

/** Picks at most `most` elements, evenly spaced. */
function spread(all: readonly number[], most: number): number[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(all.length, most) }, (_, index) => all[Math.floor(index * step)] ?? 0);
}

/** Builds the code with delays, or returns the reason why it cannot. */
async function delayed(
  judged: Case,
  folder: string,
  deps: Deps,
  { lineInfo = false }: { lineInfo?: boolean } = {},
): Promise<DelayedCode | string> {
  const { session } = judged;
  let code;
  try {
    code = await rewrittenCode<DelayedPtx>(session, { rewrite: delayPtx, threads: threadsOf(session), lineInfo }, deps);
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
    return error.what;
  }
  mkdirSync(folder);
  const codeObject = join(folder, 'delayed.cubin');
  writeFileSync(codeObject, code.cubin);
  const { sites, left } = code.rewritten;
  const { symbol } = code;
  let runs = 0;
  return {
    sites,
    left,
    run: async (launches, within) => {
      const index = runs++;
      const output = join(folder, String(index));
      mkdirSync(output);
      const file = join(output, 'lens.json');
      writeJson(file, lensFile({ parameters: byParameter(launches).map((u32) => ({ u32 })) }));
      const lens = { file, output: join(output, 'content') };
      mkdirSync(lens.output);
      const request = {
        ...{ ...session.request, codeObject, symbol, lens, iterations: launches.length },
        ...(within ? { settle: within } : {}),
      };
      const run = await runCase({ ...judged, session: { ...session, request } }, index, deps, { isRepeated: true });
      const { iterations, result } = run.outcome;
      // A launch that faults or exceeds the limit is not reported as an iteration.
      const isStopped = result.verdict === 'fault' || result.verdict === 'limit';
      return { run, count: Math.min(iterations.length + (isStopped ? 1 : 0), launches.length) };
    },
  };
}

/** Values of each parameter by launch. */
function byParameter(launches: readonly DelayLaunch[]): number[][] {
  const rows = launches.map(delayParameters);
  return (rows[0] ?? []).map((_, parameter) => rows.map((row) => row[parameter] ?? 0));
}

function threadsOf({ request, capture }: ReplaySession): number {
  const block = request.block?.split(',').map(Number) ?? capture.geometry.block_threads;
  return block.reduce((product, extent) => product * extent, 1);
}

/**
 * Returns null if the captured code gives the app's result in every such launch, otherwise the reason why a failure of
 * the variant proves nothing.
 */
async function capturedWithstands(judged: Case, replays: number, folder: string, deps: Deps): Promise<string | null> {
  const { session, selfcheck } = judged;
  const request = requestOfCaptured(session);
  const captured: Case = { ...judged, session: { ...session, code: { kind: 'captured' }, request } };
  const code = await delayed(captured, folder, deps);
  if (typeof code === 'string')
    return `with them the result differs, and whether that of the captured code does, too, is not known: ${code}`;
  const more = selfcheck.verdict === 'verified' ? 0 : seedsOfVarying;
  const { run } = await code.run(launchesOf(code, replays + more));
  return passes(run) ? null : 'with them the captured code itself does not repeat what the app computed';
}

/**
 * Finds the first and last site that a failure needs. If delaying one is enough, the other is the access that overtakes
 * it: the last site at which holding every warp makes the failure go away.
 */
async function reduce({ sites, run }: DelayedCode, failing: DelayLaunch): Promise<DelaySite[]> {
  const fails = async (launch: Partial<DelayLaunch>): Promise<boolean> =>
    !passes((await run(Array.from({ length: attempts }, () => ({ ...failing, ...launch })))).run);
  // Site before the first one where holding no longer helps, if holding right after `first` does.
  const overtaken = async (first: number, launch: Partial<DelayLaunch>): Promise<DelaySite[]> => {
    const beyond = await least(first + 1, sites.length, (hold) => fails({ ...launch, hold }));
    return sites.filter((_, index) => index === first || (beyond > first + 1 && index === beyond - 1));
  };
  if (failing.half?.late) {
    const { site } = failing.half;
    return sites.filter((_, index) => index === site || index === sites[site]?.overtakes);
  }
  if (failing.half) return await overtaken(failing.half.site, {});
  const end = await least(1, sites.length, (middle) => fails({ first: 0, count: middle }));
  const last = end - 1;
  const first = last - (await least(0, last, (less) => fails({ first: last - less, count: end - last + less })));
  if (first < last) return sites.filter((_, index) => index === first || index === last);
  return await overtaken(first, { first, count: end - first });
}

/** Smallest value for which `holds` is true; it must be true for all larger ones, and for `high`, untested. */
async function least(low: number, high: number, holds: (value: number) => Promise<boolean>): Promise<number> {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Prefers a line in the reproducer, because atomics are functions of a header. */
function placeText({ places, instruction }: DelaySite, files: SourceFiles): string {
  const shown = places.map(({ file, line }) => ({ file: files.shown(file.replace(compiledFolder, '')), line }));
  const place = shown.find(({ file }) => !isAbsolute(file)) ?? shown[0];
  return place === undefined ? instruction : `${place.file}:${place.line}`;
}

/** Folder of the reproducer in nvcc's PTX (compile-nvcc.ts). */
const compiledFolder = /^\/kernloop\//;

function failed({ session }: Case, report: DispatchReport, run: Run, delays: Delays): DispatchReport {
  const { outcome } = run;
  const verdict = verdictOf(run);
  const failure: DispatchReport = {
    ...report,
    delays,
    verdict,
    exit_code: verdict === 'fail' ? exitCodes.fail : exitCodes.fault,
    differing_bytes: outcome.result.differing_bytes ?? 0,
    regions: comparedRegions([outcome], argumentNames(session.reproducer.config, session.capture)),
    differences: outcome.differences.map(({ event: _event, ...difference }) => difference),
    fault: outcome.faults[0] ? describeFault(outcome.faults[0]) : null,
  };
  return withDelayFailure(failure, delays);
}
