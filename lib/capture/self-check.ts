import type { Device } from '../device/device';
import { adverseInstructions } from '../replay/adverse';
import { describeNear } from '../replay/guard';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import type { FaultEvent, UnexplainedEvent, VaryingRange } from '../replay/replay-events';
import type { Deps } from '../support/deps';
import { sha256OfFile, writeJson } from '../support/files';
import { captureFile, selfcheckFile, type Selfcheck } from './capture-files';

type Outcome =
  | { kind: 'verified' }
  | { kind: 'nondeterministic'; varying: VaryingRange[] }
  /** What the replay saw depends on memory that was not captured. */
  | { kind: 'scope-too-small'; reason: string }
  | { kind: 'failed'; reason: string };

export interface SelfCheckResult {
  selfcheck: Selfcheck;
  /** A capture of a wider scope may pass where this one failed. */
  scopeTooSmall: boolean;
}

const poisons = ['0xA5', '0x5A'] as const;
const fixedSeed = 1;
const variedSeeds = [2, 3];
const adverseSeed = 4;
const calibrationSeeds = [1, 2, 3, 4, 5, 6, 7, 8];
/** Not among the seeds that the ranges were made from. */
const probeSeeds = [101, 102];

/** Replays under each poison pattern on hardware: of one process, or of fresh ones where they differ. */
const repetitions = 2;

const dependsOnPoison =
  'the result depends on memory outside the captured scope (it changes with the poison there)';

const limitMultiple = 10;
const limitFloor = 1_000_000;

export interface SelfCheckTarget {
  capture: string;
  stores: readonly string[];
  /** Wave-instructions of the captured dispatch, where the device counts them. */
  waveInstructions: number | null;
  /** Of one replay, where it does not. */
  limitSeconds: number;
}

/**
 * Replays the capture as the app ran it and compares with what the app computed.
 *
 * Where waves follow a seed:
 * 1. Two poison patterns, same wave order: if the outcomes differ, the kernel read memory outside the scope.
 * 2. Both equal to post: other wave orders, and one made to show races; if they are equal too, the capture is verified.
 * 3. Otherwise the result depends on the order (atomics): replays with several seeds give the ranges that vary. Bytes that never
 *    vary must equal post, and those that do must hold post and further replays within what the ranges allow.
 *
 * Hardware has an order of its own: the same questions are put to repeated replays.
 */
export async function selfCheck(target: SelfCheckTarget, device: Device, deps: Deps): Promise<SelfCheckResult> {
  const replays = new Replays(target, device, deps);
  let outcome = await (device.seeded ? classifyBySeed(replays) : classifyByRepetition(replays));
  let selfcheck = writeSelfcheck(target, outcome, replays.count, device);
  if (outcome.kind === 'nondeterministic') {
    const broken = await probe(replays, device.seeded ? probeSeeds : []);
    if (broken) outcome = broken;
    selfcheck = writeSelfcheck(target, outcome, replays.count, device);
  }
  return { selfcheck, scopeTooSmall: outcome.kind === 'scope-too-small' };
}

/** Judges fresh replays by the ranges just written. */
async function probe(replays: Replays, seeds: readonly number[]): Promise<Outcome | undefined> {
  const varying = selfcheckFile(replays.target.capture);
  const requests = seeds.length > 0 ? seeds.map((seed) => ({ seed })) : poisons.map((poison) => ({ poison }));
  for (const request of requests) {
    const outcome = await replays.compare({ ...request, varying });
    if (!isEqual(outcome)) {
      return { kind: 'failed', reason: `replays vary, and more than what the app computed allows${firstDifference(outcome)}` };
    }
  }
  return undefined;
}

async function classifyBySeed(replays: Replays): Promise<Outcome> {
  const first = await replays.compare({ poison: poisons[0], seed: fixedSeed, threads: 1 });
  const second = await replays.compare({ poison: poisons[1], seed: fixedSeed, threads: 1 });
  const stopped = [first, second].find(isStopped);
  if (stopped) return { kind: 'scope-too-small', reason: describeStop(stopped) };
  if (fingerprint(first) !== fingerprint(second)) {
    return { kind: 'scope-too-small', reason: dependsOnPoison };
  }
  if (isEqual(first)) {
    const varied: ReplayOutcome[] = [];
    for (const seed of variedSeeds) varied.push(await replays.compare({ poison: poisons[0], seed }));
    const broken = varied.find(isStopped);
    if (broken) return { kind: 'failed', reason: `with another wave order, ${describeStop(broken)}` };
    // Waves that never end in that order, or fault, say nothing of what the app did.
    const adverse = await replays.compare({ poison: poisons[0], seed: adverseSeed, adverse: replays.adverse });
    if (varied.every(isEqual) && (isEqual(adverse) || isStopped(adverse))) return { kind: 'verified' };
  }
  return calibrate(first, poisons[0], replays);
}

/** Most kernels give the same every time: a process each under two patterns says so, and restores from the archive only once. */
async function classifyByRepetition(replays: Replays): Promise<Outcome> {
  for (const poison of poisons) {
    const outcome = await replays.compare({ poison, iterations: repetitions });
    if (isStopped(outcome)) return { kind: 'scope-too-small', reason: describeStop(outcome) };
    if (!isEqual(outcome)) return classifyByFreshProcesses({ poison, outcome }, replays);
  }
  return { kind: 'verified' };
}

/** Each poison pattern in turn, so that what changes with the pattern is told from what changes by itself. */
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
    (pattern) => new Set(outcomes.filter(({ poison }) => poison === pattern).map(({ outcome }) => fingerprint(outcome))),
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

/** One replay of many differed: never verified. Either what varies can be found, or the capture is no judge. */
async function rareDifference({ poison, outcome }: PoisonedOutcome, replays: Replays): Promise<Outcome> {
  const found = await calibrate(outcome, poison, replays);
  if (found.kind === 'nondeterministic') return found;
  return {
    kind: 'failed',
    reason: `one replay differed from what the app computed, and others did not${firstDifference(outcome)}`,
  };
}

/** What varies from replay to replay, and whether that explains what the app computed. */
async function calibrate(first: ReplayOutcome, poison: string, replays: Replays): Promise<Outcome> {
  const outcome = await replays.calibrate(calibrationSeeds, poison);
  const { varying, unexplained, result } = outcome;
  if (isStopped(outcome)) return { kind: 'failed', reason: `with another wave order, ${describeStop(outcome)}` };
  if (varying.length === 0) {
    return {
      kind: 'scope-too-small',
      reason: `every replay gives the same result, which differs from the app's in ${first.result.differing_bytes ?? 0} bytes${firstDifference(first)}`,
    };
  }
  if (result.verdict !== 'fail') return { kind: 'nondeterministic', varying };
  return { kind: 'scope-too-small', reason: `${result.reason ?? 'the replays vary, but not around what the app computed'}${firstUnexplained(unexplained)}` };
}

function firstUnexplained([first]: readonly UnexplainedEvent[]): string {
  if (!first) return '';
  const text = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value));
  const where = `${first.region ?? first.variable ?? '?'} at offset ${first.offset}`;
  return ` (first in ${where}: the app has ${text(first.post)}, the replays ${text(first.min)} to ${text(first.max)})`;
}

/** Runs kernloop-replay and counts how often it replayed. */
class Replays {
  count = 0;

  constructor(
    readonly target: SelfCheckTarget,
    private readonly device: Device,
    private readonly deps: Deps,
  ) {}

  get adverse(): number {
    return adverseInstructions(this.target.waveInstructions);
  }

  compare(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    this.count += request.iterations ?? 1;
    return this.replay({ ...request, compare: true });
  }

  /** Where waves follow a seed, in the adverse order every second time. */
  calibrate(seeds: readonly number[], poison: string): Promise<ReplayOutcome> {
    this.count += seeds.length;
    return this.replay({ calibrate: seeds, poison, ...(this.device.seeded ? { adverse: this.adverse } : {}) });
  }

  private replay(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const { capture, stores, waveInstructions, limitSeconds } = this.target;
    const limit =
      this.device.seeded && waveInstructions !== null
        ? { limitWaveInstructions: instructionLimit(waveInstructions) }
        : { limitSeconds };
    return replayOnce({ capture, stores, ...limit, ...request }, this.device, this.deps);
  }
}

export function instructionLimit(waveInstructions: number, multiple = limitMultiple): number {
  return Math.max(limitFloor, Math.ceil(waveInstructions * multiple));
}

function isStopped({ result }: ReplayOutcome): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit';
}

function isEqual({ result }: ReplayOutcome): boolean {
  // A kernel that changes nothing is replayed faithfully when nothing differs; it is validate that calls it vacuous.
  return result.verdict === 'pass' || (result.verdict === 'vacuous' && (result.differing_bytes ?? 0) === 0);
}

/** Equal for two replays with the same differences from post, whatever the poison was. */
function fingerprint({ result, differences }: ReplayOutcome): string {
  return JSON.stringify([
    result.differing_bytes ?? 0,
    differences.map((d) => [d.region, d.variable, d.padding !== undefined, d.offset, d.differing_bytes, d.padding === undefined ? d.first_actual : null]),
  ]);
}

function describeStop({ result, faults: [fault] }: ReplayOutcome): string {
  const what = result.verdict === 'limit' ? 'the replay ran past its limit' : 'the replay faulted';
  return fault ? `${what}: ${describeFault(fault)}` : what;
}

/** One line: what, where in the code, which lane, which address. The device's own text says all of it, where it gives one. */
export function describeFault(fault: FaultEvent): string {
  const near = fault.near ? `: ${describeNear(fault.near)}` : '';
  if (fault.text) return `${fault.text}${near}`;
  const parts = [
    fault.kind,
    fault.kernel && `in ${fault.kernel}`,
    fault.pc && `pc ${fault.pc}`,
    fault.instruction && `"${fault.instruction}"`,
    fault.lane !== null && fault.lane !== undefined && `lane ${fault.lane}`,
    fault.address && `address ${fault.address}`,
  ];
  return `${parts.filter(Boolean).join(', ')}${near}`;
}

function firstDifference({ differences }: ReplayOutcome): string {
  const [first] = differences;
  if (!first) return '';
  const where = first.region ?? first.variable ?? 'the padding';
  return ` (first in ${where} at offset ${first.offset}: expected ${first.first_expected ?? '?'}, got ${first.first_actual ?? '?'})`;
}

function writeSelfcheck(target: SelfCheckTarget, outcome: Outcome, replays: number, device: Device): Selfcheck {
  const selfcheck: Selfcheck = {
    schema: 'kernloop.selfcheck/1',
    capture_sha256: sha256OfFile(captureFile(target.capture)),
    device: { kind: device.description.kind, identity: device.description.identity },
    verdict: outcome.kind === 'verified' || outcome.kind === 'nondeterministic' ? outcome.kind : 'failed',
    reason: 'reason' in outcome ? outcome.reason : null,
    replays,
    poison_patterns: poisons.map((poison) => poison.toLowerCase()),
    varying: outcome.kind === 'nondeterministic' ? outcome.varying : [],
  };
  writeJson(selfcheckFile(target.capture), selfcheck);
  return selfcheck;
}
