import type { Device } from '../device/device';
import { describeFault } from '../replay/fault-text';
import type { Fill, ReplayOutcome } from '../replay/program';
import type { UnexplainedEvent, VaryingRange } from '../replay/replay-events';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { captureFile, readCapture, selfcheckFile, type Selfcheck } from '../archive/capture-files';
import { writeSelfcheck as writeSealed } from '../archive/selfcheck-seal';
import { disagreementOf } from './disagreement';
import { isEqual, isStopped, Replays, type SelfCheckTarget } from './replays';

type Outcome =
  | { kind: 'verified' }
  | Varying
  /** The result depends on memory that was not captured. */
  | { kind: 'scope-too-small'; reason: string }
  | { kind: 'failed'; reason: string };

interface Varying {
  /** `order-dependent` if parts of the result are a structure whose shape follows the order of waves. */
  kind: 'nondeterministic' | 'order-dependent';
  varying: VaryingRange[];
  /** Explanation, if no calibration gave one. */
  reason?: string;
  calibration: NonNullable<Selfcheck['calibration']>;
}

/** Code of a replay that launches nothing, because captured memory or arguments hold addresses of functions. */
export const codeAddressInMemory = 'CODE_ADDRESS_IN_MEMORY';

export interface SelfCheckResult {
  selfcheck: Selfcheck;
  /** Whether a capture with a wider scope may pass. */
  scopeTooSmall: boolean;
}

const poisons = ['0xA5', '0x5A'] as const;
const fixedSeed = 1;
/** Other orders, each starting with other values in overwritten memory. */
const varied: readonly { seed: number; fills: readonly Fill[] }[] = [
  { seed: 2, fills: ['huge'] },
  { seed: 3, fills: ['opposite', 'zeros'] },
];
const allFills: readonly Fill[] = ['captured', 'huge', 'opposite', 'zeros'];
const adverseSeed = 4;
/** Seeds of replays that are compared with each other. */
const disagreementSeeds = [0, 501, 502, 503, 504, 505];
/** Seeds that were not used to compute the ranges. */
const probeSeeds = [1001, 1002];

/** Replays per poison pattern on hardware, in one process, or in fresh processes if they differ. */
const repetitions = 2;

const dependsOnPoison = 'the result depends on memory outside the captured scope (it changes with the poison there)';
/** The cause if the pattern also fills LDS, private memory and registers before each launch. */
const readsUnwritten =
  'LDS, private memory or registers that the kernel has not written (the result changes with the pattern that these are filled with, as is the poison around captured memory)';
const dependsOnFill = (scope: string): string =>
  `the result depends on ${scope === 'all' ? '' : 'memory outside the captured scope, or on '}${readsUnwritten}`;

/**
 * Replays the capture as the app ran it and compares with what the app computed.
 *
 * If waves follow a seed:
 * 1. Two poison patterns, same wave order: if the outcomes differ, the kernel read memory outside the scope, or on-chip
 *    memory or registers that it had not written, which follow the pattern too.
 * 2. Both equal to post: other wave orders, and one made to show races; if they are equal too, the capture is verified.
 * 3. Otherwise the result depends on the order (atomics): replays with many seeds give tolerance intervals. Bytes that
 *    never vary must equal post; for those that vary, the intervals must contain post and further replays. Varying
 *    content that is no number around a centre (links of a list) is known to depend on the order, and is not judged.
 *
 * Hardware has an order of its own: repeated replays answer the same questions.
 */
export async function selfCheck(target: SelfCheckTarget, device: Device, deps: Deps): Promise<SelfCheckResult> {
  const replays = new Replays(target, device, deps);
  let outcome = await (device.seeded ? classifyBySeed(replays) : classifyByRepetition(replays)).catch(failedByAddress);
  let selfcheck = writeSelfcheck(target, outcome, replays, device);
  if ('varying' in outcome) {
    // The search on hardware compares within the ranges, so it runs after they are written.
    if (!device.seeded) await replays.compareAndSearch({ varying: selfcheckFile(target.capture) });
    const seeds = device.seeded ? probeSeeds : [];
    let broken = await probe(replays, seeds);
    // A structure may take shapes that the calibration did not show, so replays are compared with each other. Numbers
    // get no second try: a new calibration gives better intervals.
    const coarser = broken && isShape(outcome) ? await explained(poisons[0], replays) : undefined;
    if (coarser && 'varying' in coarser) {
      outcome = coarser;
      writeSelfcheck(target, outcome, replays, device);
      broken = await probe(replays, seeds);
    }
    if (broken) outcome = broken;
    selfcheck = writeSelfcheck(target, outcome, replays, device);
  }
  return { selfcheck, scopeTooSmall: outcome.kind === 'scope-too-small' };
}

/** A wider scope would not help: functions are elsewhere in a replay on this device. */
function failedByAddress(error: unknown): Outcome {
  if (!(error instanceof KernloopError) || error.code !== codeAddressInMemory) throw error;
  return { kind: 'failed', reason: `${error.what} [${error.code}]` };
}

/** Whether only the calibration says that the result depends on the order. */
function isShape(outcome: Outcome): boolean {
  return outcome.kind === 'order-dependent' && outcome.reason === undefined;
}

/** Judges fresh replays by the ranges just written. */
async function probe(replays: Replays, seeds: readonly number[]): Promise<Outcome | undefined> {
  const varying = selfcheckFile(replays.target.capture);
  const requests = seeds.length > 0 ? seeds.map((seed) => ({ seed })) : poisons.map((poison) => ({ poison }));
  for (const [index, request] of requests.entries()) {
    const outcome = await replays.compareFilled(varied[index]?.fills ?? ['captured'], { ...request, varying });
    if (!isEqual(outcome)) {
      return {
        kind: 'failed',
        reason: `replays vary, and more than what the app computed allows${firstDifference(outcome)}`,
      };
    }
  }
  return undefined;
}

async function classifyBySeed(replays: Replays): Promise<Outcome> {
  const first = await replays.compareAndFind({ poison: poisons[0], seed: fixedSeed, threads: 1 });
  const second = await replays.compare({ poison: poisons[1], seed: fixedSeed, threads: 1 });
  const stopped = [first, second].find(isStopped);
  if (stopped) return { kind: 'scope-too-small', reason: describeStop(stopped) };
  if (fingerprint(first) !== fingerprint(second)) {
    const { mode } = readCapture(replays.target.capture).scope;
    return { kind: 'scope-too-small', reason: dependsOnFill(mode) };
  }
  if (isEqual(first)) {
    // Waves that fault or never end in the adverse order say nothing about the app.
    const adverse = await replays.compareAndWatch({
      poison: poisons[0],
      seed: adverseSeed,
      adverse: replays.adverse,
    });
    const others: ReplayOutcome[] = [];
    for (const { seed, fills } of varied) others.push(await replays.compareFilled(fills, { poison: poisons[0], seed }));
    const broken = others.find(isStopped);
    if (broken) return { kind: 'failed', reason: `with another wave order, ${describeStop(broken)}` };
    if (others.every(isEqual) && (isEqual(adverse) || isStopped(adverse))) return { kind: 'verified' };
  }
  return calibrate(first, poisons[0], replays);
}

/** Most kernels repeat exactly: one process for each of two patterns shows it, with one restore each. */
async function classifyByRepetition(replays: Replays): Promise<Outcome> {
  for (const poison of poisons) {
    const request = { poison, iterations: repetitions };
    const outcome = await (poison === poisons[0]
      ? replays.compareAndSearch(request)
      : replays.compareFilled(allFills, request));
    if (isStopped(outcome)) return { kind: 'scope-too-small', reason: describeStop(outcome) };
    if (!isEqual(outcome)) return classifyByFreshProcesses({ poison, outcome }, replays);
  }
  return { kind: 'verified' };
}

/** Alternates the poison patterns, to tell changes caused by the pattern from spontaneous ones. */
async function classifyByFreshProcesses(suspicion: PoisonedOutcome, replays: Replays): Promise<Outcome> {
  const outcomes: PoisonedOutcome[] = [];
  for (let round = 0; round < repetitions; round += 1) {
    for (const poison of poisons) {
      const outcome = await replays.compare({ poison });
      if (isStopped(outcome)) return { kind: 'scope-too-small', reason: describeStop(outcome) };
      outcomes.push({ poison, outcome });
    }
  }
  const different = outcomes.find(({ outcome }) => !isEqual(outcome));
  if (!different) return rareDifference(suspicion, replays);
  const seenWith = poisons.map(
    (pattern) =>
      new Set(outcomes.filter(({ poison }) => poison === pattern).map(({ outcome }) => fingerprint(outcome))),
  );
  const repeats = seenWith.every((prints) => prints.size === 1);
  const patternsAgree = new Set(seenWith.flatMap((prints) => [...prints])).size === 1;
  if (repeats && !patternsAgree) return { kind: 'scope-too-small', reason: dependsOnPoison };
  return calibrate(different.outcome, different.poison, replays);
}

interface PoisonedOutcome {
  poison: string;
  outcome: ReplayOutcome;
}

/** A capture with one deviating replay is never verified: either the varying bytes are found, or it fails. */
async function rareDifference({ poison, outcome }: PoisonedOutcome, replays: Replays): Promise<Outcome> {
  const found = await calibrate(outcome, poison, replays);
  if ('varying' in found) return found;
  return {
    kind: 'failed',
    reason: `one replay differed from what the app computed, and others did not${firstDifference(outcome)}`,
  };
}

/** Finds what varies between replays, and whether that explains what the app computed. */
async function calibrate(first: ReplayOutcome, poison: string, replays: Replays): Promise<Outcome> {
  const outcome = await replays.calibrate(poison);
  const { varying, unexplained, result } = outcome;
  if (isStopped(outcome)) return { kind: 'failed', reason: `with another wave order, ${describeStop(outcome)}` };
  if (varying.length === 0 && result.reason === undefined) {
    return {
      kind: 'scope-too-small',
      reason: `every replay gives the same result, which differs from the app's in ${first.result.differing_bytes ?? 0} bytes${firstDifference(first)}`,
    };
  }
  if (result.verdict !== 'fail') {
    const kind = varying.some((range) => range.order_dependent) ? 'order-dependent' : 'nondeterministic';
    return {
      kind,
      varying,
      calibration: {
        replays: result.replays ?? 0,
        confidence: result.confidence ?? 0,
        miss_per_replay: result.miss_per_replay ?? 1,
        is_settled: result.is_settled ?? false,
      },
    };
  }
  return (
    (await explained(poison, replays, firstUnexplained(unexplained))) ?? {
      kind: 'scope-too-small',
      reason: `${result.reason ?? 'the replays vary, but not around what the app computed'}${firstUnexplained(unexplained)}`,
    }
  );
}

/** Explains the result by comparing further replays; undefined if they add nothing. */
async function explained(poison: string, replays: Replays, first = ''): Promise<Outcome | undefined> {
  const outcomes: ReplayOutcome[] = [];
  for (const seed of disagreementSeeds)
    outcomes.push(await replays.compare(replays.isSeeded ? { poison, seed } : { poison }));
  if (outcomes.some(isStopped)) return undefined;
  const found = disagreementOf(outcomes, readCapture(replays.target.capture));
  switch (found.kind) {
    case 'agree':
      return { kind: 'scope-too-small', reason: `${found.reason}${first || firstDifference(outcomes[0])}` };
    case 'unclear':
      return { kind: 'failed', reason: found.reason };
    case 'disagree':
      return {
        kind: 'order-dependent',
        reason: found.reason,
        varying: found.varying,
        calibration: { replays: outcomes.length, confidence: 0, miss_per_replay: 1, is_settled: false },
      };
  }
}

function firstUnexplained([first]: readonly UnexplainedEvent[]): string {
  if (!first) return '';
  const text = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value));
  const where = `${first.region ?? first.variable ?? '?'} at offset ${first.offset}`;
  return ` (first in ${where}: the app has ${text(first.post)}, the replays ${text(first.min)} to ${text(first.max)})`;
}

/** Equal if two replays differ from post in the same way, whatever the poison. */
function fingerprint({ result, differences }: ReplayOutcome): string {
  return JSON.stringify([
    result.differing_bytes ?? 0,
    differences.map((d) => [
      d.region,
      d.variable,
      d.padding !== undefined,
      d.offset,
      d.differing_bytes,
      d.padding === undefined ? d.first_actual : null,
    ]),
  ]);
}

function describeStop({ result, faults: [fault] }: ReplayOutcome): string {
  const what = result.verdict === 'limit' ? 'the replay ran past its limit' : 'the replay faulted';
  return fault ? `${what}: ${describeFault(fault)}` : what;
}

function firstDifference(outcome: Pick<ReplayOutcome, 'differences'> | undefined): string {
  const [first] = outcome?.differences ?? [];
  if (!first) return '';
  const where = first.region ?? first.variable ?? 'the padding';
  return ` (first in ${where} at offset ${first.offset}: expected ${first.first_expected ?? '?'}, got ${first.first_actual ?? '?'})`;
}

function writeSelfcheck(target: SelfCheckTarget, outcome: Outcome, replays: Replays, device: Device): Selfcheck {
  const selfcheck: Selfcheck = {
    schema: 'kernloop.selfcheck/1',
    capture_sha256: sha256OfFile(captureFile(target.capture)),
    device: { kind: device.description.kind, identity: device.description.identity },
    verdict: outcome.kind === 'verified' || 'varying' in outcome ? outcome.kind : 'failed',
    reason: ('reason' in outcome ? outcome.reason : undefined) ?? null,
    replays: replays.count,
    poison_patterns: poisons.map((poison) => poison.toLowerCase()),
    varying: 'varying' in outcome ? outcome.varying : [],
    ...('varying' in outcome ? { calibration: outcome.calibration } : {}),
    ...(outcome.kind === 'verified' || 'varying' in outcome
      ? {
          overwritten: replays.overwritten,
          reread: replays.reread,
          ...(replays.untouched ? { untouched: replays.untouched } : {}),
        }
      : {}),
  };
  writeSealed(target.capture, selfcheck);
  return selfcheck;
}
