import { captureFile, selfcheckFile, type Selfcheck } from '../capture/capture-files';
import { describeFault } from '../capture/self-check';
import { adverseInstructions } from '../replay/adverse';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import type { ReplaySession } from '../replay/session';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { sha256OfFile } from '../support/files';
import { formatCount } from '../support/report';
import type { ValidateOptions } from './options';
import { describeRaces, newRaces, summaryOfRaces } from './races';
import type { AdverseReport, DispatchReport, Race, Verdict } from './report-json';
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

/** Replays one captured dispatch so often and compares, and once more in the adverse order; a fault or a limit ends that. */
export async function judgeCase(
  judged: Case,
  { replays, adverse }: Pick<ValidateOptions, 'replays' | 'adverse'>,
  deps: Deps,
): Promise<DispatchReport> {
  const runs: Run[] = [];
  for (let index = 0; index < replays; index += 1) {
    const run = await runOnce(judged, index, deps);
    runs.push(run);
    if (isStopped(run)) return reportOf(judged, runs, null);
  }
  if (!adverse || !judged.session.device.seeded) return reportOf(judged, runs, null);
  return reportOf(judged, runs, await judgeAdverse(judged, replays, deps));
}

const isStopped = ({ outcome: { result } }: Run): boolean => result.verdict === 'fault' || result.verdict === 'limit';

interface Adverse {
  run: Run;
  /** The same of the captured code, where the run gave reason to ask. */
  captured: Run[];
  /** Whether what it left in memory counts: not where the captured code does not pass in this order either. */
  counts: boolean;
  races: Race[];
}

/** What the captured code does in this order, too, is not held against a variant. */
async function judgeAdverse(judged: Case, index: number, deps: Deps): Promise<Adverse> {
  const { session } = judged;
  const instructions = adverseInstructions(session.capture.execution.wave_instructions);
  const again = (of: Case, seed: number): Promise<Run> => runOnce(of, seed, deps, instructions);
  const run = await again(judged, index);
  const isRight = verdictOf(run) === 'pass' || verdictOf(run) === 'vacuous';
  if (isRight && run.outcome.findings.length === 0) return { run, captured: [], counts: true, races: [] };
  if (session.code.kind === 'captured') return { run, captured: [], counts: isRight, races: [] };
  const { codeObject: _codeObject, symbol: _symbol, ...request } = session.request;
  const captured = { ...judged, session: { ...session, request } };
  // A race of the captured code may show in one order and not in another.
  const others = [await again(captured, index), await again(captured, index + 1)];
  const known = others.flatMap(({ outcome }) => outcome.findings);
  const found = newRaces(run.outcome.findings, known);
  return {
    run,
    captured: others,
    counts: isRight || others.every((other) => verdictOf(other) === 'pass' || verdictOf(other) === 'vacuous'),
    races: describeRaces(found, session),
  };
}

async function runOnce(
  { session, selfcheck, ignored, plan }: Case,
  index: number,
  deps: Deps,
  adverse?: number,
): Promise<Run> {
  const poison = poisons[index % poisons.length] ?? poisons[0];
  const seed = session.device.seeded ? index + 1 : null;
  const request: ReplayRequest = {
    ...session.request,
    ignore: ignored,
    elements: plan.elements,
    ...(selfcheck.verdict === 'nondeterministic' ? { varying: selfcheckFile(session.reproducer.capture) } : {}),
    ...(seed === null ? {} : { seed }),
    ...(adverse === undefined ? {} : { adverse }),
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

function reportOf({ session, selfcheck, plan }: Case, usual: readonly Run[], adverse: Adverse | null): DispatchReport {
  const runs = adverse?.counts ? [...usual, adverse.run] : usual;
  const worst = runs.reduce((a, b) => (rank(verdictOf(b)) > rank(verdictOf(a)) ? b : a));
  const { result, differences, faults } = worst.outcome;
  const races = adverse?.races ?? [];
  const verdict = races.length > 0 && rank(verdictOf(worst)) < rank('fail') ? 'fail' : verdictOf(worst);
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
    tolerance: toleranceReport(plan),
    regions: comparedRegions(runs.map(({ outcome }) => outcome)),
    differences: differences.map(({ event: _event, ...difference }) => difference),
    fault: faults[0] ? describeFault(faults[0]) : null,
    adverse: adverse && adverseReport(adverse, session),
    races,
    replays: usual.map(({ poison, seed, outcome }) => ({
      poison,
      seed,
      verdict: outcome.result.verdict,
      differing_bytes: outcome.result.differing_bytes ?? 0,
      wave_instructions: outcome.result.wave_instructions ?? null,
    })),
  };
  return { ...report, summary: summaryOf(report, result.reason ?? null, usual.length, adverse) };
}

function adverseReport({ run, captured }: Adverse, { capture }: ReplaySession): AdverseReport {
  const worst = captured.reduce<Run | undefined>(
    (a, b) => (a && rank(verdictOf(a)) >= rank(verdictOf(b)) ? a : b),
    undefined,
  );
  return {
    seed: run.seed ?? 0,
    verdict: run.outcome.result.verdict,
    differing_bytes: run.outcome.result.differing_bytes ?? 0,
    wave_instructions: run.outcome.adverseInstructions ?? 0,
    of_wave_instructions: run.outcome.result.wave_instructions ?? capture.execution.wave_instructions ?? null,
    findings: run.outcome.findings.length,
    captured: worst
      ? {
          verdict: worst.outcome.result.verdict,
          findings: Math.max(...captured.map((one) => one.outcome.findings.length)),
        }
      : null,
  };
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
  reason: string | null,
  replays: number,
  adverse: Adverse | null,
): string {
  const judged: string[] = [];
  if (report.tolerance) judged.push(summaryOfTolerance(report.tolerance, report.regions));
  if (report.varying_bytes > 0)
    judged.push(`${formatCount(report.varying_bytes)} bytes judged by their recorded range`);
  if (report.ignored_bytes > 0) judged.push(`${formatCount(report.ignored_bytes)} bytes ignored as workspace`);
  if (adverse && !adverse.counts)
    judged.push(
      'in the adverse order the captured code itself does not repeat what the app computed, so that this was not judged',
    );
  const extra = judged.length > 0 ? `; ${judged.join('; ')}` : '';
  const compared = `${formatCount(report.compared_bytes)} bytes compared with what the app computed`;
  switch (report.verdict) {
    case 'pass':
      return `${compared} in ${replays} ${replays === 1 ? 'replay' : 'replays'}${adverse ? ` and one in adverse order${partOf(report.adverse)}` : ''}, ${formatCount(report.changed_bytes)} of them changed by the kernel${extra}`;
    case 'vacuous':
      return `${reason ?? `the captured dispatch changes no byte${report.ignored_bytes > 0 ? ' beside what is ignored' : ''}, so that nothing can be compared`}${extra}`;
    case 'fail': {
      const [race] = report.races ?? [];
      if (race)
        return `${summaryOfRaces(race, report.races?.length ?? 1)}${report.differing_bytes > 0 ? `; ${formatCount(report.differing_bytes)} of ${compared} differ` : ''}${extra}`;
      return `${formatCount(report.differing_bytes)} of ${compared} differ${adverse && report.replays.every(({ verdict }) => verdict !== 'fail') ? ' when waves run in the adverse order: the result depends on it' : ''}${extra}`;
    }
    case 'limit':
      return `the replay ran past its limit${report.fault ? `: ${report.fault}` : ''}`;
    case 'fault':
      return `the device faulted${report.fault ? `: ${report.fault}` : ''}`;
  }
}

/** Of a long dispatch not all is run in that order. */
function partOf(adverse: DispatchReport['adverse']): string {
  if (!adverse?.of_wave_instructions || adverse.wave_instructions >= adverse.of_wave_instructions) return '';
  return ` (${formatCount(adverse.wave_instructions)} of ${formatCount(adverse.of_wave_instructions)} wave-instructions)`;
}
