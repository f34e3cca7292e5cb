import type { Device } from '../device/device';
import type { OverwrittenRow, Reread } from '../archive/overwritten';
import type { ElementType } from '../reproducer/kernel-json';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { requireNamedDevice, type RanOn } from './ran-on';
import { LineSplitter } from '../support/lines';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import { describeFault } from './fault-text';
import {
  replayEvents,
  type Caches,
  type DerivedEvent,
  type CheckedEvent,
  type ComparedEvent,
  type ConditionsEvent,
  type DifferenceEvent,
  type FaultEvent,
  type FreeOrderEvent,
  type FindingEvent,
  type FloatAtomicEvent,
  type PastLdsEvent,
  type Guard,
  type HotSpotEvent,
  type IterationEvent,
  type LensEvent,
  type Overridden,
  type ProbesEvent,
  type ReplayEvent,
  type ResultEvent,
  type Stray,
  type UntouchedRead,
  type ToleranceEvent,
  type UnexplainedEvent,
  type VaryingRange,
} from './replay-events';

/** Arguments of kernloop-replay, except those of the device. */
export interface ReplayRequest {
  capture: string;
  stores: readonly string[];
  /** Expected digests of files that the program reads, by path. */
  expect?: Readonly<Record<string, string>>;
  codeObject?: string;
  symbol?: string;
  iterations?: number;
  warmup?: number;
  cache?: string;
  poison?: string;
  seed?: number;
  threads?: number;
  /** Wave-instructions to run in an order that exposes races, with checks; with `calibrate`, every second replay. */
  adverse?: number;
  /** Seed of one more compared launch, on a machine as if other kernels had used it for hours: `--machine-in-use`. */
  machineInUse?: number;
  limitWaveInstructions?: number;
  limitSeconds?: number;
  /** "hip" launches through the HIP runtime. */
  launch?: string;
  compare?: boolean;
  /** Alternates the captured code and codeObject. */
  sideBySide?: boolean;
  /** Seed of the order of sides in `sideBySide`. */
  orderSeed?: number;
  /** Reports counters for each instruction, and counts more. */
  profile?: boolean;
  /** A selfcheck.json whose varying ranges are judged by value. */
  varying?: string;
  /** A selfcheck.json whose overwritten ranges start with each of these fills, one launch each. */
  overwritten?: { file: string; fills: readonly Fill[] };
  /**
   * Starts memory that selfcheck.json calls untouched with other values, which must stay: all of it, only what the code
   * writes, or only blocks of 0 that it reads.
   */
  disturbUntouched?: Disturbed;
  /** Reports memory that is overwritten without being read, within `overwritten` if that is given. */
  findOverwritten?: boolean;
  /** Searches for overwritten memory with other initial values; the file keeps the state if a process dies of it. */
  searchOverwritten?: string;
  /** Further memory to leave unmapped: any access to it faults. */
  dropped?: string;
  /** Reports memory that is neither read nor written, in whole pieces of this many bytes. */
  findUnused?: number;
  /** Seeds of replays that find what varies. */
  calibrate?: readonly number[];
  /** Ends a calibration after this many replays if further ones show nothing new, or after this time. */
  settle?: { replays: number; seconds: number };
  /** File with the replays of earlier processes; this process adds its own. */
  calibrationFile?: string;
  dump?: string;
  dumpOnly?: readonly string[];
  dumpTime?: string;
  /** Lens ("kernloop.lens/1") and the folder for its final content. */
  lens?: { file: string; output: string };
  /** Probes for the software GPU ("kernloop.probes/1") and an empty folder for their maps. */
  probes?: { file: string; output: string };
  /** Makes everything around captured memory inaccessible to the kernel. */
  guard?: boolean;
  /** Leaves the padding around captured memory unwritten. */
  leavePadding?: boolean;
  /** Overridden launch; X,Y,Z. */
  grid?: string;
  block?: string;
  dynamicShared?: number;
  /** Whether codeObject must be launched this way to compute what the captured code does. */
  ownLaunch?: boolean;
  /** Arguments as INDEX:TYPE=VALUE. */
  args?: readonly string[];
  /** Bytes excluded from the comparison. */
  ignore?: readonly { region: string; offset: number; size: number }[];
  elements?: readonly TypedElements[];
  /** Record lengths, in case an array there has a free order; only with `varying`. */
  records?: readonly RecordLength[];
  /** Judges `codeObject` against the captured code, on inputs derived from the captured one. */
  derive?: Derivation;
}

/** Content of memory that the captured code does not read: native/verdict/poison_fill.h. */
export type Fill = 'captured' | 'huge' | 'opposite' | 'zeros';

export type Disturbed = 'all' | 'written' | 'zeros';

/** Inputs derived from the captured one: native/replay/core/session/derived_inputs.h. */
export interface Derivation {
  inputs: number;
  seed: number;
  /** Number of the only input to use. */
  only?: number;
  /** Whether to use NaN, infinities, -0 and subnormal numbers. */
  special: boolean;
  types: readonly { target: string; offset: number; size: number; type: ElementType }[];
  /** Integer arguments, by offset, that may be smaller than captured. */
  scalars: readonly { name: string; offset: number; type: string }[];
  /** Ranges that stay as captured. */
  keep: readonly { region: string; offset: number; size: number }[];
  /** Arrays whose records change places as wholes. */
  records: readonly RecordLength[];
}

export interface RecordLength {
  target: string;
  offset: number;
  size: number;
  bytes: number;
}

/** Elements of a region or variable, and how they are judged. */
export interface TypedElements {
  target: string;
  offset: number;
  size: number;
  type: ElementType;
  /** Null if every byte must be equal; the elements are still counted. */
  bounds: Bounds | null;
}

/** Treatment of elements for which the app has a NaN (or an infinity): see validate's options. */
type SpecialPolicy = 'match' | 'refuse' | 'ignore';

export interface Bounds {
  atol: number;
  rtol: number;
  ulp: number;
  /** Fraction of the elements that must pass. */
  matched: number;
  nan: SpecialPolicy;
  inf: SpecialPolicy;
}

export interface ReplayOutcome {
  result: ResultEvent;
  iterations: IterationEvent[];
  differences: DifferenceEvent[];
  faults: FaultEvent[];
  /** Findings of a replay in the adverse order. */
  findings: FindingEvent[];
  floatAtomics: FloatAtomicEvent[];
  pastLds: PastLdsEvent[];
  /** Wave-instructions that ran in the adverse order. */
  adverseInstructions: number | null;
  hotSpots: HotSpotEvent[];
  varying: VaryingRange[];
  overwritten: OverwrittenRow[];
  reread: Reread[];
  /** Bytes that are neither read nor written. */
  untouched: OverwrittenRow[];
  strays: Stray[];
  untouchedReads: UntouchedRead[];
  /** Variables whose initializer the variant changes, and which value of them was judged. */
  initializers: { variable: string; judged: 'variant' | 'app' | 'unknown' }[];
  /** Unused ranges of regions. */
  unused: OverwrittenRow[];
  /** Elements of *post* that the calibration's replays do not explain. */
  unexplained: UnexplainedEvent[];
  tolerances: ToleranceEvent[];
  /** Checks of a side-by-side replay. */
  checked: CheckedEvent[];
  /** Conditions of each side, if the device reports them. */
  conditions: ConditionsEvent[];
  /** Null if the device is opened by its own name (cuda). */
  ranOn: RanOn | null;
  /** A row for each compared region and module variable. */
  compared: ComparedEvent[];
  /** A row for each separately judged group of arrays in free order. */
  freeOrders: FreeOrderEvent[];
  /** A row for each derived input. */
  derived: DerivedEvent[];
  restored: { regions: number; bytes: number; dropped_bytes: number; host_bytes: number };
  overridden: Overridden | null;
  guard: Guard | null;
  caches: Caches | null;
  /** Null without a lens, and after a fault or a limit. */
  lens: LensEvent | null;
  /** Null without probes, and after a fault or a limit. */
  probes: ProbesEvent | null;
}

/** Differences kept for reports; `result` has the totals. */
const maxDifferences = 1000;

function replayArguments(request: ReplayRequest, device: Device): string[] {
  const args = ['--capture', request.capture];
  for (const store of request.stores) args.push('--store', store);
  for (const [path, digest] of Object.entries(request.expect ?? {})) args.push('--expect', `${path}=${digest}`);
  args.push(...device.replayArguments);
  const named: [string, string | number | undefined][] = [
    ['--code-object', request.codeObject],
    ['--symbol', request.symbol],
    ['--launch', request.launch],
    ['--iterations', request.iterations],
    ['--warmup', request.warmup],
    ['--cache', request.cache],
    ['--poison', request.poison],
    ['--seed', request.seed],
    ['--threads', request.threads],
    ['--adverse', request.adverse],
    ['--machine-in-use', request.machineInUse],
    ['--limit-wave-instructions', request.limitWaveInstructions],
    ['--limit-seconds', request.limitSeconds],
    ['--known-varying', request.varying],
    ['--overwritten', request.overwritten?.file],
    ['--search-overwritten', request.searchOverwritten],
    ['--dropped', request.dropped],
    ['--find-unused', request.findUnused],
    ['--fills', request.overwritten?.fills.join(',')],
    ['--disturb-untouched', request.disturbUntouched],
    ['--calibrate', request.calibrate?.join(',')],
    ['--settle', request.settle && `${request.settle.replays}:${request.settle.seconds}`],
    ['--calibration-file', request.calibrationFile],
    ['--dump', request.dump],
    ['--dump-time', request.dumpTime],
    ['--lens', request.lens?.file],
    ['--lens-output', request.lens?.output],
    ['--probes', request.probes?.file],
    ['--probes-output', request.probes?.output],
    ['--order-seed', request.orderSeed],
    ['--grid', request.grid],
    ['--block', request.block],
    ['--dynamic-shared', request.dynamicShared],
  ];
  for (const [name, value] of named) if (value !== undefined) args.push(name, String(value));
  for (const { region, offset, size } of request.ignore ?? []) args.push('--ignore', `${region}:${offset}:${size}`);
  for (const elements of request.elements ?? []) args.push('--tolerance', elementsArgument(elements));
  if (request.varying !== undefined) {
    for (const { target, offset, size, bytes } of request.records ?? [])
      args.push('--record', `${target}:${offset}:${size}=${bytes}`);
  }
  for (const argument of request.args ?? []) args.push('--arg', argument);
  for (const name of request.dumpOnly ?? []) args.push('--dump-only', name);
  if (request.derive) args.push(...deriveArguments(request.derive));
  if (request.ownLaunch) args.push('--own-launch');
  if (request.guard) args.push('--guard');
  if (request.leavePadding) args.push('--leave-padding');
  if (request.compare) args.push('--compare');
  if (request.findOverwritten) args.push('--find-overwritten');
  if (request.sideBySide) args.push('--side-by-side');
  if (request.profile) args.push('--profile');
  return args;
}

function deriveArguments({ inputs, seed, only, special, types, scalars, keep, records }: Derivation): string[] {
  return [
    ...['--derive', String(inputs), '--derive-seed', String(seed)],
    ...(only === undefined ? [] : ['--derive-only', String(only)]),
    ...(special ? ['--derive-special'] : []),
    ...types.flatMap(({ target, offset, size, type }) => [
      '--derive-type',
      `${target}:${offset}:${size}=${type === 'bool' ? 'u8' : type}`,
    ]),
    ...scalars.flatMap(({ name, offset, type }) => ['--derive-scalar', `${name}:${offset}:${type}`]),
    ...keep.flatMap(({ region, offset, size }) => ['--derive-keep', `${region}:${offset}:${size}`]),
    ...records.flatMap(({ target, offset, size, bytes }) => [
      '--derive-record',
      `${target}:${offset}:${size}=${bytes}`,
    ]),
  ];
}

function elementsArgument({ target, offset, size, type, bounds }: TypedElements): string {
  // The comparison treats a bool as a byte.
  const place = `${target}:${offset}:${size}=${type === 'bool' ? 'u8' : type}`;
  if (bounds === null) return `${place},exact`;
  return [place, ...Object.entries(bounds).map(([name, value]) => `${name}=${value}`)].join(',');
}

/** Replays in a fresh process. A fault or a limit is an outcome; any other early end is an error. */
export async function replayOnce(request: ReplayRequest, device: Device, deps: Deps): Promise<ReplayOutcome> {
  const outcome: Omit<ReplayOutcome, 'result'> & { result?: ResultEvent } = {
    iterations: [],
    differences: [],
    faults: [],
    findings: [],
    floatAtomics: [],
    pastLds: [],
    adverseInstructions: null,
    hotSpots: [],
    varying: [],
    overwritten: [],
    reread: [],
    untouched: [],
    strays: [],
    untouchedReads: [],
    initializers: [],
    unused: [],
    unexplained: [],
    tolerances: [],
    checked: [],
    conditions: [],
    ranOn: null,
    compared: [],
    freeOrders: [],
    derived: [],
    restored: { regions: 0, bytes: 0, dropped_bytes: 0, host_bytes: 0 },
    overridden: null,
    guard: null,
    caches: null,
    lens: null,
    probes: null,
  };
  const reader = new EventReader<ReplayEvent>('kernloop-replay', replayEvents, (event) => collect(event, outcome));
  // The software GPU writes of a fault what the event of it says, and the stage prints.
  const faultLines: string[] = [];
  const stderr = new LineSplitter((line) => {
    if (line.startsWith(speaker)) faultLines.push(line);
    else deps.report.output(`${line}\n`);
  });
  const ended = await deps.run(deps.native.replay, replayArguments(request, device), {
    env: device.env,
    onStdoutLine: reader.push,
    onStderr: (chunk) => stderr.push(chunk),
  }).result;
  stderr.end();
  for (const line of faultLines)
    if (!outcome.faults.some((fault) => saysAll(fault, line))) deps.report.output(`${line}\n`);
  throwIfInterrupted(deps.signal);
  reader.finish(ended);
  const { result } = outcome;
  if (!result) {
    throw new KernloopError('NATIVE_FAILED', `${describeEnd('kernloop-replay', ended)}\nwithout a result`, rebuildHint);
  }
  checkExit(result, ended.exitCode, ended.signal);
  requireNamedDevice(outcome.ranOn, device, request.capture);
  return { ...outcome, result };
}

function collect(event: ReplayEvent, outcome: Omit<ReplayOutcome, 'result'> & { result?: ResultEvent }): void {
  switch (event.event) {
    case 'device':
      outcome.ranOn = event;
      break;
    case 'restored':
      outcome.restored = {
        regions: event.regions,
        bytes: event.bytes,
        dropped_bytes: event.dropped_bytes ?? 0,
        host_bytes: event.host_bytes ?? 0,
      };
      break;
    case 'guard': {
      const { event: _event, ...guard } = event;
      outcome.guard = guard;
      break;
    }
    case 'cache': {
      const { event: _event, ...caches } = event;
      outcome.caches = caches;
      break;
    }
    case 'lens':
      outcome.lens = event;
      break;
    case 'probes':
      outcome.probes = event;
      break;
    case 'overridden': {
      const { event: _event, ...overridden } = event;
      outcome.overridden = overridden;
      break;
    }
    case 'iteration':
      outcome.iterations.push(event);
      break;
    case 'difference':
      if (outcome.differences.length < maxDifferences) outcome.differences.push(event);
      break;
    case 'hot_spot':
      outcome.hotSpots.push(event);
      break;
    case 'finding':
      outcome.findings.push(event);
      break;
    case 'float_atomic':
      outcome.floatAtomics.push(event);
      break;
    case 'past_lds':
      outcome.pastLds.push(event);
      break;
    case 'adverse':
      outcome.adverseInstructions = event.wave_instructions;
      break;
    case 'fault':
      outcome.faults.push(event);
      break;
    case 'varying': {
      const { event: _event, ...range } = event;
      outcome.varying.push(range);
      break;
    }
    case 'reread': {
      const { event: _event, ...row } = event;
      outcome.reread.push(row);
      break;
    }
    case 'overwritten': {
      const { event: _event, ...row } = event;
      outcome.overwritten.push(row);
      break;
    }
    case 'untouched': {
      const { event: _event, ...row } = event;
      outcome.untouched.push(row);
      break;
    }
    case 'stray': {
      const { event: _event, ...stray } = event;
      outcome.strays.push(stray);
      break;
    }
    case 'untouched_read': {
      const { event: _event, ...read } = event;
      outcome.untouchedReads.push(read);
      break;
    }
    case 'variable_kept':
      outcome.initializers.push({ variable: event.variable, judged: event.is_known ? 'variant' : 'unknown' });
      break;
    case 'variable_restored':
      outcome.initializers.push({ variable: event.variable, judged: 'app' });
      break;
    case 'unused': {
      const { event: _event, ...row } = event;
      outcome.unused.push(row);
      break;
    }
    case 'checked':
      outcome.checked.push(event);
      break;
    case 'conditions':
      outcome.conditions.push(event);
      break;
    case 'tolerance':
      outcome.tolerances.push(event);
      break;
    case 'compared':
      outcome.compared.push(event);
      break;
    case 'free_order':
      outcome.freeOrders.push(event);
      break;
    case 'derived':
      outcome.derived.push(event);
      break;
    case 'unexplained':
      outcome.unexplained.push(event);
      break;
    case 'result':
      outcome.result = event;
      break;
  }
}

const exitOf = { pass: 0, ran: 0, fail: 1, vacuous: 3, fault: 4, limit: 4 } as const;

/** If verdict and exit code contradict each other, neither can be trusted. */
function checkExit(result: ResultEvent, exitCode: number | null, signal: string | null): void {
  if (exitCode === exitOf[result.verdict]) return;
  const how = signal === null ? `exited with code ${exitCode}` : `was killed by ${signal}`;
  throw new KernloopError('NATIVE_FAILED', `kernloop-replay reported "${result.verdict}" but ${how}`, rebuildHint);
}

const speaker = 'kernloop softgpu: ';

const saysAll = (fault: FaultEvent, line: string): boolean => describeFault(fault).includes(line.slice(speaker.length));
