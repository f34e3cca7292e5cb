import { captureFile, selfcheckFile, type Selfcheck } from '../capture/capture-files';
import { describeFault } from '../capture/self-check';
import { replayOnce, type RecordLength, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import type { ReplaySession } from '../replay/session';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { sha256OfFile } from '../support/files';
import { formatCount } from '../support/report';
import type { DispatchReport, Verdict } from './report-json';
import { bytesInFreeOrder, summaryOfFreeOrder } from './free-order-text';
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
  records: RecordLength[];
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

async function runOnce({ session, selfcheck, ignored, plan, records }: Case, index: number, deps: Deps): Promise<Run> {
  const poison = poisons[index % poisons.length] ?? poisons[0];
  const seed = session.device.seeded ? index + 1 : null;
  const request: ReplayRequest = {
    ...session.request,
    ignore: ignored,
    elements: plan.elements,
    ...(selfcheck.verdict === 'nondeterministic'
      ? { varying: selfcheckFile(session.reproducer.capture), records }
      : {}),
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
    selfcheck: selfcheck.verdict === 'nondeterministic' ? 'nondeterministic' : 'verified',
    device: { kind: session.device.description.kind, identity: session.device.description.identity },
    compared_bytes: result.compared_bytes ?? 0,
    changed_bytes: result.changed_bytes ?? 0,
    ignored_bytes: result.ignored_bytes ?? 0,
    varying_bytes: result.varying_bytes ?? 0,
    differing_bytes: result.differing_bytes ?? 0,
    free_order: worst.outcome.freeOrders.map(({ event: _event, ...order }) => order),
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
  return { ...report, summary: summaryOf(report, result.reason ?? null, runs.length) };
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

function summaryOf(report: Omit<DispatchReport, 'summary'>, reason: string | null, replays: number): string {
  const judged: string[] = [];
  if (report.tolerance) judged.push(summaryOfTolerance(report.tolerance, report.regions));
  const inRanges = report.varying_bytes - bytesInFreeOrder(report.free_order);
  if (inRanges > 0) judged.push(`${formatCount(inRanges)} bytes judged by their recorded range`);
  judged.push(...summaryOfFreeOrder(report.free_order));
  if (report.ignored_bytes > 0) judged.push(`${formatCount(report.ignored_bytes)} bytes ignored as workspace`);
  const extra = judged.length > 0 ? `; ${judged.join('; ')}` : '';
  const compared = `${formatCount(report.compared_bytes)} bytes compared with what the app computed`;
  switch (report.verdict) {
    case 'pass':
      return `${compared} in ${replays} ${replays === 1 ? 'replay' : 'replays'}, ${formatCount(report.changed_bytes)} of them changed by the kernel${extra}`;
    case 'vacuous':
      return `${reason ?? `the captured dispatch changes no byte${report.ignored_bytes > 0 ? ' beside what is ignored' : ''}, so that nothing can be compared`}${extra}`;
    case 'fail':
      return `${formatCount(report.differing_bytes)} of ${compared} differ${extra}`;
    case 'limit':
      return `the replay ran past its limit${report.fault ? `: ${report.fault}` : ''}`;
    case 'fault':
      return `the device faulted${report.fault ? `: ${report.fault}` : ''}`;
  }
}
