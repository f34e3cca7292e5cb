import { captureFile, isJudgedByRanges, selfcheckFile, type Selfcheck } from '../capture/capture-files';
import { describeFault } from '../capture/self-check';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import type { ReplaySession } from '../replay/session';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { sha256OfFile } from '../support/files';
import { formatCount } from '../support/report';
import type { DispatchReport, Verdict } from './report-json';
import { comparedRegions } from './regions';
import type { IgnoredRange } from './roles';
import type { ElementPlan } from './tolerance';
import { describePolicy, summaryOfTolerance } from './tolerance-text';

/** A captured dispatch, and how what the replays leave in memory is judged. */
export interface Case {
  session: ReplaySession;
  selfcheck: Selfcheck;
  ignored: IgnoredRange[];
  plan: ElementPlan;
}

const poisons = ['0xA5', '0x5A'] as const;

interface Run {
  poison: string;
  seed: number | null;
  outcome: ReplayOutcome;
}

/** Replays one captured dispatch so often and compares; a fault or a limit ends that. */
export async function judgeCase(judged: Case, replays: number, deps: Deps): Promise<DispatchReport> {
  const runs: Run[] = [];
  for (let index = 0; index < replays; index += 1) {
    const run = await runOnce(judged, index, deps);
    runs.push(run);
    if (run.outcome.result.verdict === 'fault' || run.outcome.result.verdict === 'limit') break;
  }
  return reportOf(judged, runs);
}

async function runOnce({ session, selfcheck, ignored, plan }: Case, index: number, deps: Deps): Promise<Run> {
  const poison = poisons[index % poisons.length] ?? poisons[0];
  const seed = session.device.seeded ? index + 1 : null;
  const request: ReplayRequest = {
    ...session.request,
    ignore: ignored,
    elements: plan.elements,
    ...(isJudgedByRanges(selfcheck) ? { varying: selfcheckFile(session.reproducer.capture) } : {}),
    ...(seed === null ? {} : { seed }),
    compare: true,
    poison,
  };
  return { poison, seed, outcome: await replayOnce(request, session.device, deps) };
}

const severity: readonly Verdict[] = ['pass', 'vacuous', 'fail', 'limit', 'fault'];
/** Which of two verdicts counts, where there are several. */
export const rank = (verdict: Verdict): number => severity.indexOf(verdict);

const exitOf: Readonly<Record<Verdict, number>> = {
  pass: exitCodes.pass,
  vacuous: exitCodes.vacuous,
  fail: exitCodes.fail,
  limit: exitCodes.fault,
  fault: exitCodes.fault,
};

function reportOf({ session, selfcheck, plan }: Case, runs: readonly Run[]): DispatchReport {
  const worst = runs.reduce((a, b) => (rank(verdictOf(b)) > rank(verdictOf(a)) ? b : a));
  const { result, differences, faults } = worst.outcome;
  const verdict = verdictOf(worst);
  const { capture, code, dispatch } = session;
  const report: Omit<DispatchReport, 'summary'> = {
    schema: 'kernloop.report/1',
    verdict,
    exit_code: exitOf[verdict],
    kernel: capture.kernel.name,
    symbol: capture.kernel.symbol,
    code: code.kind,
    variant: code.kind === 'variant' ? code.shown : null,
    code_object_sha256: code.kind === 'variant' ? code.sha256 : capture.kernel.code_object,
    dispatch: dispatch.dispatch,
    capture: dispatch.shown,
    capture_sha256: sha256OfFile(captureFile(dispatch.folder)),
    selfcheck: selfcheck.verdict === 'failed' ? 'verified' : selfcheck.verdict,
    device: { kind: session.device.description.kind, identity: session.device.description.identity },
    compared_bytes: result.compared_bytes ?? 0,
    changed_bytes: result.changed_bytes ?? 0,
    ignored_bytes: result.ignored_bytes ?? 0,
    varying_bytes: result.varying_bytes ?? 0,
    unjudged_bytes: result.unjudged_bytes ?? 0,
    differing_bytes: result.differing_bytes ?? 0,
    tolerance: toleranceReport(plan),
    regions: comparedRegions(runs.map(({ outcome }) => outcome)),
    differences: differences.map(({ event: _event, ...difference }) => difference),
    fault: faults[0] ? describeFault(faults[0]) : null,
    replays: runs.map(({ poison, seed, outcome }) => ({
      poison,
      seed,
      verdict: outcome.result.verdict,
      differing_bytes: outcome.result.differing_bytes ?? 0,
      wave_instructions: outcome.result.wave_instructions ?? null,
    })),
  };
  return { ...report, summary: summaryOf(report, selfcheck, result.reason ?? null, runs.length) };
}

function toleranceReport({ bounds, untyped }: ElementPlan): DispatchReport['tolerance'] {
  return bounds && { ...bounds, policy: describePolicy(bounds), untyped };
}

/** "ran" means that nothing was compared, which is never a pass. */
function verdictOf({ outcome: { result } }: Run): Verdict {
  if (result.verdict === 'vacuous' && (result.differing_bytes ?? 0) > 0) return 'fail';
  if (result.verdict !== 'ran' && !(result.verdict === 'pass' && !result.compared_bytes)) return result.verdict;
  throw new KernloopError(
    'NATIVE_FAILED',
    'kernloop-replay compared nothing',
    'run `npm run build:native`; if it stays, report it',
  );
}

function summaryOf(
  report: Omit<DispatchReport, 'summary'>,
  selfcheck: Selfcheck,
  reason: string | null,
  replays: number,
): string {
  const judged: string[] = [];
  if (report.tolerance) judged.push(summaryOfTolerance(report.tolerance, report.regions));
  if (report.varying_bytes > 0)
    judged.push(`${formatCount(report.varying_bytes)} bytes judged by ${describeRanges(selfcheck)}`);
  if (report.ignored_bytes > 0) judged.push(`${formatCount(report.ignored_bytes)} bytes ignored as workspace`);
  const doubt = report.verdict === 'fail' ? doubtOf(report, selfcheck) : null;
  if (doubt) judged.push(doubt);
  const extra = judged.length > 0 ? `; ${judged.join('; ')}` : '';
  const compared = `${formatCount(report.compared_bytes)} bytes compared with what the app computed`;
  const unjudged =
    report.unjudged_bytes > 0
      ? `${formatCount(report.unjudged_bytes)} bytes NOT judged: the order of waves decides what they hold; `
      : '';
  switch (report.verdict) {
    case 'pass':
      return `${unjudged}${compared} in ${replays} ${replays === 1 ? 'replay' : 'replays'}, ${formatCount(report.changed_bytes)} of them changed by the kernel${extra}`;
    case 'vacuous':
      return `${reason ?? `the captured dispatch changes no byte${report.ignored_bytes > 0 ? ' beside what is ignored' : ''}, so that nothing can be compared`}${report.unjudged_bytes > 0 ? '; the role "ignore" leaves an argument out where that is meant' : ''}${extra}`;
    case 'fail':
      return `${unjudged}${formatCount(report.differing_bytes)} of ${compared} differ${extra}`;
    case 'limit':
      return `the replay ran past its limit${report.fault ? `: ${report.fault}` : ''}`;
    case 'fault':
      return `the device faulted${report.fault ? `: ${report.fault}` : ''}`;
  }
}

function describeRanges({ calibration }: Selfcheck): string {
  if (!calibration) return 'their recorded range';
  const confidence = `${Math.round(calibration.confidence * 100)} % confidence`;
  return `the intervals of ${calibration.replays} replays (${confidence}${calibration.is_settled ? '' : '; more replays would have shown more that varies'})`;
}

/** Where it may be the judge that is wrong. */
function doubtOf(
  { code, differences }: Omit<DispatchReport, 'summary'>,
  { varying, calibration }: Selfcheck,
): string | null {
  if (code === 'captured')
    return 'this is the captured code itself: its result varies by more than the self-check saw; capture it again';
  const inRanges = differences.every(({ region, variable, offset }) =>
    varying.some(
      (range) =>
        range.region === region &&
        range.variable === variable &&
        offset >= range.offset &&
        offset < range.offset + range.count * (elementBytes[range.dtype] ?? 8),
    ),
  );
  if (calibration || varying.length === 0 || differences.length === 0 || !inRanges) return null;
  return 'all of it in ranges that an older self-check took from few replays: capturing again makes better ones';
}

const elementBytes: Readonly<Record<string, number>> = {
  f16: 2,
  bf16: 2,
  i16: 2,
  u16: 2,
  f32: 4,
  i32: 4,
  u32: 4,
  i8: 1,
  u8: 1,
};
