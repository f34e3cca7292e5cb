import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../device/device';
import { adverseInstructions } from '../replay/adverse';
import { describeFault } from '../replay/fault-text';
import { instructionLimit } from '../replay/limit';
import type { ReplayOutcome, ReplayRequest } from '../replay/program';
import { replayWithinLimit } from '../replay/within-limit';
import type { UnexplainedEvent, VaryingRange } from '../replay/replay-events';
import type { Deps } from '../deps/deps';
import { sha256OfFile, writeJson } from '../support/files';
import { captureFile, readCapture, selfcheckFile, type Selfcheck } from '../archive/capture-files';

type Outcome =
  | { kind: 'verified' }
  | Varying
  /** What the replay saw depends on memory that was not captured. */
  | { kind: 'scope-too-small'; reason: string }
  | { kind: 'failed'; reason: string };

interface Varying {
  /** The latter where parts of the result are a structure whose shape follows the order of waves. */
  kind: 'nondeterministic' | 'order-dependent';
  varying: VaryingRange[];
  calibration: NonNullable<Selfcheck['calibration']>;
}

export interface SelfCheckResult {
  selfcheck: Selfcheck;
  /** A capture of a wider scope may pass where this one failed. */
  scopeTooSmall: boolean;
}

const poisons = ['0xA5', '0x5A'] as const;
const fixedSeed = 1;
const variedSeeds = [2, 3];
const adverseSeed = 4;
/**
 * Of a calibration at most; on hardware, which takes no seed, as many replays. Every eighth is 0, the ascending order that the app
 * had: sums may err by much more (or less) in it than in others, as where all that is added comes before all that is taken away.
 */
const calibrationSeeds = Array.from({ length: 256 }, (_, index) => (index % 8 === 0 ? 0 : index));
/** What it takes at least, where waves follow a seed. */
const settling = { replays: 32, seconds: 20 };
/** Hardware is fast, but its order varies less from launch to launch than from process to process. */
const processes = { least: 8, most: 32, replaysOfEach: 8, seconds: 60 };
/** Not among the seeds that the ranges were made from. */
const probeSeeds = [1001, 1002];

/** Replays under each poison pattern on hardware: of one process, or of fresh ones where they differ. */
const repetitions = 2;

const dependsOnPoison = 'the result depends on memory outside the captured scope (it changes with the poison there)';
/** Where the pattern also fills LDS, private memory and registers ahead of each launch. */
const readsUnwritten =
  'LDS, private memory or registers that the kernel has not written (the result changes with the pattern that these are filled with, as is the poison around captured memory)';
const dependsOnFill = (scope: string): string =>
  `the result depends on ${scope === 'all' ? '' : 'memory outside the captured scope, or on '}${readsUnwritten}`;

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
 * 1. Two poison patterns, same wave order: if the outcomes differ, the kernel read memory outside the scope, or on-chip memory or
 *    registers that it had not written, which follow the pattern too.
 * 2. Both equal to post: other wave orders, and one made to show races; if they are equal too, the capture is verified.
 * 3. Otherwise the result depends on the order (atomics): replays with many seeds give tolerance intervals. Bytes that never
 *    vary must equal post, and those that do must hold post and further replays within their intervals. What varies and is no
 *    number around a centre (links of a list) is known to depend on the order, and is not judged.
 *
 * Hardware has an order of its own: the same questions are put to repeated replays.
 */
export async function selfCheck(target: SelfCheckTarget, device: Device, deps: Deps): Promise<SelfCheckResult> {
  const replays = new Replays(target, device, deps);
  let outcome = await (device.seeded ? classifyBySeed(replays) : classifyByRepetition(replays));
  let selfcheck = writeSelfcheck(target, outcome, replays.count, device);
  if ('varying' in outcome) {
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
      return {
        kind: 'failed',
        reason: `replays vary, and more than what the app computed allows${firstDifference(outcome)}`,
      };
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
    const { mode } = readCapture(replays.target.capture).scope;
    return { kind: 'scope-too-small', reason: dependsOnFill(mode) };
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

/** One replay of many differed: never verified. Either what varies can be found, or the capture is no judge. */
async function rareDifference({ poison, outcome }: PoisonedOutcome, replays: Replays): Promise<Outcome> {
  const found = await calibrate(outcome, poison, replays);
  if ('varying' in found) return found;
  return {
    kind: 'failed',
    reason: `one replay differed from what the app computed, and others did not${firstDifference(outcome)}`,
  };
}

/** What varies from replay to replay, and whether that explains what the app computed. */
async function calibrate(first: ReplayOutcome, poison: string, replays: Replays): Promise<Outcome> {
  const outcome = await replays.calibrate(poison);
  const { varying, unexplained, result } = outcome;
  if (isStopped(outcome)) return { kind: 'failed', reason: `with another wave order, ${describeStop(outcome)}` };
  if (varying.length === 0) {
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
  return {
    kind: 'scope-too-small',
    reason: `${result.reason ?? 'the replays vary, but not around what the app computed'}${firstUnexplained(unexplained)}`,
  };
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
  async calibrate(poison: string): Promise<ReplayOutcome> {
    const outcome = await (this.device.seeded
      ? this.replay({ calibrate: calibrationSeeds, settle: settling, poison, adverse: this.adverse })
      : this.calibrateInProcesses(poison));
    this.count += outcome.result.replays ?? 0;
    return outcome;
  }

  /** Each goes on with the replays of those before it. */
  private async calibrateInProcesses(poison: string): Promise<ReplayOutcome> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-calibration-'));
    const request = {
      calibrate: calibrationSeeds.slice(0, processes.replaysOfEach),
      poison,
      calibrationFile: join(folder, 'replays'),
    };
    const started = this.deps.clock.monotonicMs();
    try {
      for (let count = 1; ; count += 1) {
        const outcome = await this.replay(request);
        const { result, varying, unexplained } = outcome;
        const isBeyondMeasure = result.verdict === 'fail' && varying.length === 0 && unexplained.length === 0;
        const isEnough = count >= processes.least && result.is_settled !== false;
        const isLate = (this.deps.clock.monotonicMs() - started) / 1000 > processes.seconds;
        if (isStopped(outcome) || isBeyondMeasure || isEnough || isLate || count === processes.most) return outcome;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private replay(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const { capture, stores, waveInstructions, limitSeconds } = this.target;
    const limit =
      this.device.seeded && waveInstructions !== null
        ? { limitWaveInstructions: instructionLimit(waveInstructions) }
        : { limitSeconds };
    return replayWithinLimit({ capture, stores, ...limit, ...request }, this.device, this.deps);
  }
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
    verdict: outcome.kind === 'verified' || 'varying' in outcome ? outcome.kind : 'failed',
    reason: 'reason' in outcome ? outcome.reason : null,
    replays,
    poison_patterns: poisons.map((poison) => poison.toLowerCase()),
    varying: 'varying' in outcome ? outcome.varying : [],
    ...('varying' in outcome ? { calibration: outcome.calibration } : {}),
  };
  writeJson(selfcheckFile(target.capture), selfcheck);
  return selfcheck;
}
