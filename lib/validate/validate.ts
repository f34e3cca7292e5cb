import { rmSync } from 'node:fs';
import { captureFile, selfcheckFile, selfcheckSchema, type Selfcheck } from '../capture/capture-files';
import { withDevice } from '../device/lock';
import { describeFault } from '../capture/self-check';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import { openReproducer } from '../replay/reproducer';
import { describeCode, openSession, type ReplaySession } from '../replay/session';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { sha256OfFile, writeJson } from '../support/files';
import { formatCount } from '../support/report';
import { readJson } from '../support/schema';
import type { ValidateOptions } from './options';
import type { Report, Verdict } from './report-json';
import { ignoredRanges } from './roles';
import { comparedRegions } from './regions';
import { excerpt, regionTable } from './region-text';
import { describePolicy, summaryOfTolerance } from './tolerance-text';
import { planElements, type ElementPlan } from './tolerance';

const poisons = ['0xA5', '0x5A'] as const;

/** Replays and compares device memory with what the app itself computed; only that can pass. Writes report.json. */
export async function validate(options: ValidateOptions, deps: Deps): Promise<Report> {
  // An error below must not leave the verdict of an earlier run standing.
  rmSync(openReproducer(options.reproducer).report, { force: true });
  const session = await openSession(options, deps);
  const selfcheck = requireSelfcheck(session, deps);
  const ignored = ignoredRanges(session.reproducer.config, session.capture);
  const plan = planElements(options, session.reproducer.config, session.capture, ignored);
  const judging: Judging = {
    ignore: ignored,
    elements: plan.elements,
    ...(selfcheck.verdict === 'nondeterministic' ? { varying: selfcheckFile(session.reproducer.capture) } : {}),
  };
  const runs = await withDevice(session.device, deps, () => replayAll(session, judging, options.replays, deps));
  const report = judge(session, selfcheck, plan, runs);
  writeJson(session.reproducer.report, report);
  print(report, session, options, deps);
  return report;
}

/** How differences are judged. */
type Judging = Pick<ReplayRequest, 'ignore' | 'elements' | 'varying'>;

interface Run {
  poison: string;
  seed: number | null;
  outcome: ReplayOutcome;
}

async function replayAll(session: ReplaySession, judging: Judging, replays: number, deps: Deps): Promise<Run[]> {
  const runs: Run[] = [];
  for (let index = 0; index < replays; index += 1) {
    const run = await runOnce(session, judging, index, deps);
    runs.push(run);
    if (run.outcome.result.verdict === 'fault' || run.outcome.result.verdict === 'limit') break;
  }
  return runs;
}

async function runOnce(session: ReplaySession, judging: Judging, index: number, deps: Deps): Promise<Run> {
  const poison = poisons[index % poisons.length] ?? poisons[0];
  const seed = session.device.seeded ? index + 1 : null;
  const order = seed === null ? {} : { seed };
  const request = { ...session.request, ...judging, ...order, compare: true, poison };
  const outcome = await replayOnce(request, session.device, deps);
  return { poison, seed, outcome };
}

/** A capture that does not give back what the app computed can judge nothing. */
function requireSelfcheck({ reproducer, device }: ReplaySession, deps: Deps): Selfcheck {
  const again = 'capture it again without --no-self-check';
  const selfcheck = readJson(selfcheckFile(reproducer.capture), selfcheckSchema, 'SELFCHECK_MISSING', again);
  if (selfcheck.capture_sha256 !== sha256OfFile(captureFile(reproducer.capture))) {
    throw new KernloopError(
      'SELFCHECK_MISSING',
      `${selfcheckFile(reproducer.capture)} belongs to another capture`,
      again,
    );
  }
  if (selfcheck.verdict === 'failed') {
    throw new KernloopError(
      'SELFCHECK_FAILED',
      `the capture cannot judge a variant: its self-check failed: ${selfcheck.reason ?? 'no reason given'}`,
      'capture it with a wider scope, or another dispatch of the kernel',
    );
  }
  if (selfcheck.device.identity !== device.description.identity) {
    deps.report.warn(`the capture was checked on ${selfcheck.device.identity}, this is ${device.description.identity}`);
  }
  return selfcheck;
}

const severity: readonly string[] = ['pass', 'vacuous', 'fail', 'limit', 'fault'];
const exitOf: Readonly<Record<Verdict, number>> = {
  pass: exitCodes.pass,
  vacuous: exitCodes.vacuous,
  fail: exitCodes.fail,
  limit: exitCodes.fault,
  fault: exitCodes.fault,
};

function judge(session: ReplaySession, selfcheck: Selfcheck, plan: ElementPlan, runs: readonly Run[]): Report {
  const worst = runs.reduce((a, b) => (rank(b) > rank(a) ? b : a));
  const { result, differences, faults } = worst.outcome;
  const verdict = verdictOf(worst);
  const { capture, code, reproducer } = session;
  const report: Omit<Report, 'summary'> = {
    schema: 'kernloop.report/1',
    verdict,
    exit_code: exitOf[verdict],
    kernel: capture.kernel.name,
    symbol: capture.kernel.symbol,
    code: code.kind,
    variant: code.kind === 'variant' ? code.shown : null,
    code_object_sha256: code.kind === 'variant' ? code.sha256 : capture.kernel.code_object,
    capture_sha256: sha256OfFile(captureFile(reproducer.capture)),
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

function toleranceReport({ bounds, untyped }: ElementPlan): Report['tolerance'] {
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

function rank(run: Run): number {
  return severity.indexOf(verdictOf(run));
}

function summaryOf(report: Omit<Report, 'summary'>, reason: string | null, replays: number): string {
  const judged: string[] = [];
  if (report.tolerance) judged.push(summaryOfTolerance(report.tolerance, report.regions));
  if (report.varying_bytes > 0)
    judged.push(`${formatCount(report.varying_bytes)} bytes judged by their recorded range`);
  if (report.ignored_bytes > 0) judged.push(`${formatCount(report.ignored_bytes)} bytes ignored as workspace`);
  const extra = judged.length > 0 ? `; ${judged.join('; ')}` : '';
  const compared = `${formatCount(report.compared_bytes)} bytes compared with what the app computed`;
  switch (report.verdict) {
    case 'pass':
      return `${compared} in ${replays} ${replays === 1 ? 'replay' : 'replays'}, ${formatCount(report.changed_bytes)} of them changed by the kernel${extra}`;
    case 'vacuous':
      return `${reason ?? 'the captured dispatch changes no byte, so that nothing can be compared'}${extra}`;
    case 'fail':
      return `${formatCount(report.differing_bytes)} of ${compared} differ${extra}`;
    case 'limit':
      return `the replay ran past its limit${report.fault ? `: ${report.fault}` : ''}`;
    case 'fault':
      return `the device faulted${report.fault ? `: ${report.fault}` : ''}`;
  }
}

const labels: Readonly<Record<Verdict, string>> = {
  pass: 'PASS',
  fail: 'FAIL',
  vacuous: 'VACUOUS',
  limit: 'FAIL',
  fault: 'FAIL',
};

function print(report: Report, session: ReplaySession, { verbose }: ValidateOptions, deps: Deps): void {
  deps.report.result(`${report.kernel}: ${describeCode(session.code)}`);
  for (const line of reportLines(report, verbose)) deps.report.result(line);
  deps.report.result(`Result: ${labels[report.verdict]} (${report.summary})`);
}

/** Of regions only what is of interest: what differs, or all that was judged where a tolerance or --verbose asks for it. */
function reportLines(report: Report, verbose: boolean): string[] {
  const { regions, tolerance } = report;
  const shown = verbose || tolerance ? regions : regions.filter(({ differing_bytes: differing }) => differing > 0);
  const untyped = tolerance?.untyped ?? [];
  return [
    ...regionTable(shown),
    ...excerpt(report),
    ...(untyped.length > 0 ? [`compared byte by byte, for want of a type (--dtype): ${untyped.join(', ')}`] : []),
  ];
}
