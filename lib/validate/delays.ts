import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { delayPtx, noHold, type DelayedPtx, type DelaySite } from '../ptx/delays';
import { rewrittenCode } from '../recompile/rewritten-code';
import { lensFile } from '../replay/lens';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import { SourceFiles } from '../replay/source-files';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { writeJson } from '../support/files';
import { argumentNames, comparedRegions } from './regions';
import { describeFault } from '../replay/fault-text';
import type { ValidateOptions } from './options';
import type { Delays, DispatchReport } from './report-json';
import { passes, runCase, verdictOf, type Case, type Run } from './run-case';
import { withDelayFailure, withDelays } from './delays-text';

/** More seeds for the captured code, if its own results vary: its intervals are those of replays without delays. */
const seedsOfVarying = 12;
/** A failure that shows in some replays only may be missed by one. */
const attempts = 2;

/** Code with delays in it, and how it is replayed. */
interface DelayedCode {
  sites: readonly DelaySite[];
  left: number;
  /** With the delays of a seed, at these sites or at all of them. */
  run: (seed: number, where?: Where) => Promise<Run>;
}

/** Sites by number: those that delay, and one at which every warp waits for longer. */
interface Where {
  first: number;
  count: number;
  hold?: number;
}

/**
 * Judges whether CUDA code that is right stays so while warps wait at random before their accesses and barriers. A failure that the captured code does
 * not have takes the place of the pass.
 */
export async function judgeDelays(
  judged: Case,
  report: DispatchReport,
  { delays }: Pick<ValidateOptions, 'delays'>,
  deps: Deps,
): Promise<DispatchReport> {
  const { session } = judged;
  if (delays === 0 || report.verdict !== 'pass' || session.code.kind !== 'variant' || !session.device.hasPtx)
    return report;
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-delays-'));
  try {
    return await judgeIn(folder, judged, report, delays, deps);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judgeIn(
  folder: string,
  judged: Case,
  report: DispatchReport,
  replays: number,
  deps: Deps,
): Promise<DispatchReport> {
  const said: Delays = { replays: 0, sites: 0, left: 0, judged: false, reason: null, seed: null, places: [] };
  const notJudged = (reason: string, beside: Partial<Delays> = {}): DispatchReport =>
    withDelays({ ...report, delays: { ...said, ...beside, reason } });
  const code = await delayed(judged, join(folder, 'variant'), deps);
  if (typeof code === 'string') return notJudged(code);
  const { sites, left } = code;
  const known = { sites: sites.length, left };
  if (sites.length === 0) return notJudged('the kernel itself has no access to global or shared memory', known);
  for (let seed = 1; seed <= replays; ++seed) {
    const run = await code.run(seed);
    if (passes(run)) continue;
    const found = { ...known, replays: seed, seed };
    if (!passes(await code.run(seed, { first: 0, count: 0 })))
      return notJudged('the code that was made for them fails without any delay, too', found);
    const captured = await capturedWithstands(judged, seed, replays, join(folder, 'captured'), deps);
    if (captured !== null) return notJudged(captured, found);
    const files = new SourceFiles(judged.session.reproducer);
    const places = new Set((await reduce(code, seed)).map((site) => placeText(site, files)));
    return failed(judged, report, run, { ...said, ...found, judged: true, places: [...places] });
  }
  return withDelays({ ...report, delays: { ...said, ...known, replays, judged: true } });
}

/** The code with delays, or why there is none. */
async function delayed(judged: Case, folder: string, deps: Deps): Promise<DelayedCode | string> {
  const { session } = judged;
  let code;
  try {
    code = await rewrittenCode<DelayedPtx>(
      session,
      { rewrite: delayPtx, threads: threadsOf(session), lineInfo: true },
      deps,
    );
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
    run: (seed, { first, count, hold = noHold } = { first: 0, count: sites.length }) => {
      const output = join(folder, String(++runs));
      mkdirSync(output);
      const file = join(output, 'lens.json');
      writeJson(file, lensFile({ parameters: [seed, first, count, hold].map((u32) => ({ u32 })) }));
      const lens = { file, output: join(output, 'content') };
      mkdirSync(lens.output);
      const request = { ...session.request, codeObject, symbol, lens };
      return runCase({ ...judged, session: { ...session, request } }, runs - 1, deps);
    },
  };
}

function threadsOf({ request, capture }: ReplaySession): number {
  const block = request.block?.split(',').map(Number) ?? capture.geometry.block_threads;
  return block.reduce((product, extent) => product * extent, 1);
}

/** Null if the captured code gives what the app computed with every seed, else why a failure of the variant tells nothing. */
async function capturedWithstands(
  judged: Case,
  seed: number,
  replays: number,
  folder: string,
  deps: Deps,
): Promise<string | null> {
  const { session, selfcheck } = judged;
  const request = requestOfCaptured(session);
  const captured: Case = { ...judged, session: { ...session, code: { kind: 'captured' }, request } };
  const code = await delayed(captured, folder, deps);
  if (typeof code === 'string')
    return `with them the result differs, and whether that of the captured code does, too, is not known: ${code}`;
  const more = selfcheck.verdict === 'verified' ? 0 : seedsOfVarying;
  const seeds = Array.from({ length: Math.max(replays, seed) + more }, (_, index) => index + 1);
  for (const one of [seed, ...seeds.filter((other) => other !== seed)]) {
    if (!passes(await code.run(one))) return 'with them the captured code itself does not repeat what the app computed';
  }
  return null;
}

/**
 * The first and the last of the sites that a failure needs. If the delay of one is enough, the other is the access that overtakes it: the last at which
 * every warp has to wait for the failure to go away.
 */
async function reduce({ sites, run }: DelayedCode, seed: number): Promise<DelaySite[]> {
  const fails = async (first: number, end: number, hold = noHold): Promise<boolean> => {
    for (let attempt = 0; attempt < attempts; ++attempt)
      if (!passes(await run(seed, { first, count: end - first, hold }))) return true;
    return false;
  };
  const end = await least(1, sites.length, (middle) => fails(0, middle));
  const last = end - 1;
  const first = last - (await least(0, last, (less) => fails(last - less, end)));
  if (first < last) return sites.filter((_, index) => index === first || index === last);
  // The first after it that no longer helps, if the one right behind it does.
  const beyond = await least(first + 1, sites.length, (hold) => fails(first, end, hold));
  return sites.filter((_, index) => index === first || (beyond > first + 1 && index === beyond - 1));
}

/** The least number for which it holds: as for all above it, and for `high`, which is not asked. */
async function least(low: number, high: number, holds: (value: number) => Promise<boolean>): Promise<number> {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The line in the reproducer if there is one: atomics are functions of a header. */
function placeText({ places, instruction }: DelaySite, files: SourceFiles): string {
  const shown = places.map(({ file, line }) => ({ file: files.shown(file.replace(compiledFolder, '')), line }));
  const place = shown.find(({ file }) => !isAbsolute(file)) ?? shown[0];
  return place === undefined ? instruction : `${place.file}:${place.line}`;
}

/** The folder of the reproducer in PTX of nvcc (compile-nvcc.ts). */
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
