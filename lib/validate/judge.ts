import { requestOfCaptured } from '../replay/session';
import { captureDigest } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { exitCodes, type ErrorCode } from '../support/error-codes';
import { adverseReport, judgeAdverse, type Adverse } from './adverse';
import { droppedOf, floatAtomicsOf } from './float-atomics';
import { initializersOf } from './initializers';
import { newPastLds, pastLdsOf } from './past-lds';
import type { DispatchReport, FloatAtomicReport, PastLdsReport, Verdict } from './report-json';
import { argumentNames, comparedRegions } from './regions';
import { failsInUse, runInUse, seedOfMachineInUse, type InUse } from './machine-in-use';
import { passes, rank, runCase, verdictOf, type Case, type Run } from './run-case';
import { launchWords, ownLaunchOf } from './own-launch';
import { shortRecordsOf, shortRecordWords } from './short-records';
import { forcedTypes, summaryOf } from './summary';
import type { ElementPlan } from './tolerance';
import { describePolicy } from './tolerance-text';
import { runDisturbed } from './untouched';
import { allowedReadWords } from './untouched-text';
import { describeFault } from '../replay/fault-text';

/** Error before any launch: the app could not launch the variant as it launches the captured code. */
const launchImpossible: ErrorCode = 'LAUNCH_IMPOSSIBLE';

/**
 * Replays a captured dispatch `replays` times and compares, in the first replay also on a machine in use, then once in
 * the adverse order. A fault or a limit ends it.
 */
export async function judgeCase(judged: Case, deps: Deps): Promise<DispatchReport> {
  const { replays, adverse } = judged;
  const runs: Run[] = [];
  const seed = seedOfMachineInUse(judged);
  let inUse: InUse | null = null;
  const conclude = async (inAdverse: Adverse | null): Promise<DispatchReport> => {
    const all = inAdverse ? [...runs, inAdverse.run] : runs;
    const floatAtomics = await floatAtomicsOf(judged, all, deps);
    return reportOf(judged, runs, inAdverse, inUse, floatAtomics, await pastLdsOf(judged, all, deps));
  };
  for (let index = 0; index < replays; index += 1) {
    const isDisturbed = index === replays - 1 && !!judged.selfcheck.untouched?.length && runs.every(passes);
    const used = index === 0 && seed !== undefined ? await runInUse(judged, index, seed, deps) : null;
    inUse ??= used;
    const run =
      used && (!isDisturbed || failsInUse(used.run))
        ? used.run
        : await (isDisturbed ? runDisturbed(judged, index, deps) : runCase(judged, index, deps));
    runs.push(run);
    // A fill that the captured code itself fails under cannot judge the variant.
    if (run.outcome.result.fill && !run.outcome.result.stray_bytes && !(await withstandsFills(judged, index, deps)))
      return judgeCase({ ...judged, fills: [], refuted: true }, deps);
    if (isStopped(run)) return conclude(null);
  }
  if (!adverse) return conclude(null);
  return conclude(await judgeAdverse(judged, replays, deps));
}

/** Whether the captured code gives the app's result with other values in the memory that it overwrites. */
async function withstandsFills(judged: Case, index: number, deps: Deps): Promise<boolean> {
  const { session } = judged;
  if (session.code.kind === 'captured') return false;
  const run = await runCase({ ...judged, session: { ...session, request: requestOfCaptured(session) } }, index, deps);
  return passes(run);
}

function isStopped({ outcome: { result } }: Run): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit' || result.code === launchImpossible;
}

const exitOf: Readonly<Record<Verdict, number>> = {
  pass: exitCodes.pass,
  vacuous: exitCodes.vacuous,
  fail: exitCodes.fail,
  limit: exitCodes.fault,
  fault: exitCodes.fault,
};

function reportOf(
  { session, selfcheck, proof, plan, records, refuted }: Case,
  usual: readonly Run[],
  adverse: Adverse | null,
  inUse: InUse | null,
  floatAtomics: FloatAtomicReport[],
  pastLds: PastLdsReport[],
): DispatchReport {
  const judged = adverse?.counts ? [...usual, adverse.run] : usual;
  // Usual launches come first, because their failures say more than those on a machine in use.
  const runs = [...judged.filter((run) => !failsInUse(run)), ...judged.filter(failsInUse)];
  const worst = runs.reduce((a, b) => (rank(verdictOf(b)) > rank(verdictOf(a)) ? b : a));
  const { result, differences, faults } = worst.outcome;
  const races = adverse?.races ?? [];
  const isFound = races.length > 0 || droppedOf(floatAtomics).length > 0 || newPastLds(pastLds).length > 0;
  const verdict = isFound && rank(verdictOf(worst)) < rank('fail') ? 'fail' : verdictOf(worst);
  const { capture, code, dispatch } = session;
  const initializers = initializersOf(runs.map(({ outcome }) => outcome));
  const shortRecords = session.code.kind === 'variant' ? shortRecordsOf(records, selfcheck) : [];
  const untouchedReads = runs.flatMap((run) => run.untouchedReads ?? []);
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
    capture_sha256: captureDigest(capture),
    selfcheck: selfcheck.verdict === 'failed' ? 'verified' : selfcheck.verdict,
    selfcheck_sha256: proof.sha256,
    selfcheck_sealed: proof.isSealed,
    device: { kind: session.device.description.kind, identity: session.device.description.identity },
    launch: ownLaunchOf(session),
    compared_bytes: result.compared_bytes ?? 0,
    changed_bytes: result.changed_bytes ?? 0,
    ignored_bytes: result.ignored_bytes ?? 0,
    varying_bytes: result.varying_bytes ?? 0,
    unjudged_bytes: result.unjudged_bytes ?? 0,
    overwritten_bytes: result.overwritten_bytes ?? 0,
    rewritten_bytes: result.rewritten_bytes ?? 0,
    differing_bytes: result.differing_bytes ?? 0,
    ...(worst.outcome.strays.length > 0 ? { stray: worst.outcome.strays } : {}),
    ...(untouchedReads.length > 0 ? { untouched_reads: untouchedReads } : {}),
    ...(shortRecords.length > 0 ? { short_records: shortRecords } : {}),
    ...(initializers.length > 0 ? { initializers } : {}),
    ...(floatAtomics.length > 0 ? { float_atomics: floatAtomics } : {}),
    ...(pastLds.length > 0 ? { past_lds: pastLds } : {}),
    state: runs.map(({ outcome }) => outcome.result.state).find(Boolean) ?? null,
    free_order: worst.outcome.freeOrders.map(({ event: _event, ...order }) => order),
    tolerance: toleranceReport(plan),
    regions: comparedRegions(
      [worst, ...runs.filter((run) => run !== worst)].map((run) => ({
        ...run.outcome,
        replay: judged.indexOf(run) + 1,
        ...(run.outcome.result.fill ? { fill: run.outcome.result.fill } : {}),
      })),
      argumentNames(session.reproducer.config, capture),
    ),
    differences: differences.map(({ event: _event, ...difference }) => difference),
    fault: faults[0] ? describeFault(faults[0]) : null,
    adverse: adverse && adverseReport(adverse, session),
    races,
    machine_in_use: inUse && { seed: inUse.seed, judged: inUse.judged },
    replays: usual.map(({ poison, seed, outcome }) => ({
      poison,
      seed,
      ...(outcome.result.machine_in_use ? { machine_in_use: true } : {}),
      verdict: outcome.result.verdict,
      differing_bytes: outcome.result.differing_bytes ?? 0,
      wave_instructions: outcome.result.wave_instructions ?? null,
    })),
  };
  if (result.code === launchImpossible) return { ...report, summary: result.reason ?? 'it cannot be launched' };
  return {
    ...report,
    summary: [
      ...launchWords([report]),
      ...forcedTypes(plan),
      ...allowedReadWords([report]),
      ...shortRecordWords([report]),
      summaryOf(report, { selfcheck, result, adverse, refuted }),
    ].join('; '),
  };
}

function toleranceReport({ bounds, untyped, forced }: ElementPlan): DispatchReport['tolerance'] {
  return bounds && { ...bounds, policy: describePolicy(bounds), untyped, forced };
}
