import { join } from 'node:path';
import { fakeDeps, type FakeDeps } from '../../testing/fake-deps';
import { difference, fakeReplay, passed } from '../../testing/fake-programs';
import {
  captureJson,
  someDigest,
  type TestWorkspace,
  verifiedSelfcheck,
  writeReproducer,
} from '../../testing/workspace';
import { keepResult, keptPaths } from '../../reproducer/kept-results';
import { replayResultSchema, type ReplayResult } from '../../replay/result';
import { validateOptionsSchema } from '../../validate/options';
import { validate } from '../../validate/validate';

/** Text that a page must show literally. */
export const hostile = `<img src=x onerror="alert('x')"></script><script>alert(1)</script>`;

const f32 = (...values: number[]): string => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeFloatLE(value, 4 * index));
  return bytes.toString('hex');
};

/** 1,024 floats, of which 8 to 11 and 1,000 are wrong. */
const differences = [
  {
    ...difference,
    region: 'r0',
    offset: 32,
    bytes: 16,
    differing_bytes: 16,
    lead: '',
    first_expected: f32(1, 2, 3, 4),
    first_actual: f32(1.5, 2, 13, NaN),
  },
  // Only the third byte of the element differs; the bytes before it are included.
  {
    ...difference,
    region: 'r0',
    offset: 4002,
    bytes: 1,
    differing_bytes: 1,
    lead: '0000',
    first_expected: '803f',
    first_actual: '003f',
  },
];

const compared = {
  event: 'compared',
  region: 'r0',
  bytes: 4096,
  changed: true,
  ignored_bytes: 0,
  varying_bytes: 0,
  differing_bytes: 17,
  first_difference: 32,
  difference_map: {
    bin_bytes: 4,
    bins: [
      [8, 4],
      [9, 4],
      [10, 4],
      [11, 4],
      [1000, 1],
    ],
  },
};

export const fakes = (workspace: TestWorkspace, wrong: boolean): FakeDeps => {
  const verdict = wrong ? { ...passed, verdict: 'fail', differing_bytes: 17 } : passed;
  const events = wrong
    ? [...differences, compared, verdict]
    : [{ ...compared, differing_bytes: 0, difference_map: undefined }, verdict];
  return fakeDeps({ 'kernloop-replay': fakeReplay(() => events) }, workspace.native);
};

const arg = { declared: null, offset: 0, size: 8, kind: 'global_buffer' };

/** A reproducer with an array in r0, called `name`. */
export function reproducerOf(workspace: TestWorkspace, name = 'x'): string {
  const root = writeReproducer(workspace, {
    demangled: `saxpy(float*, float) ${name}`,
    args: [{ index: 0, name, type: 'float*', role: 'inout', element: 'f32', ...arg }],
  });
  const capture = workspace.write(
    `kernels/app/saxpy/capture/capture.json`,
    captureJson({
      kernarg: { slots: [{ offset: 0, region: 'r0', value: '0x400000000000' }] },
      kernel: { name: `saxpy(float*, float) ${name}`, symbol: '_Z5saxpyPff', code_object: someDigest },
    }),
  );
  workspace.write('kernels/app/saxpy/capture/selfcheck.json', verifiedSelfcheck(capture));
  return root;
}

export async function judged(workspace: TestWorkspace, reproducer: string, wrong: boolean): Promise<FakeDeps> {
  const deps = fakes(workspace, wrong);
  await validate(validateOptionsSchema.parse({ reproducer, replays: 1, adverse: false }), deps);
  return deps;
}

const statistics = (median: number): object => ({
  ...{ count: 6, min: median * 0.9, p10: median * 0.95, median, p90: median * 1.05, max: median * 1.1, spread: 1 },
  ci95: { low: median * 0.98, high: median * 1.02 },
});

const measured = (median: number): object => ({
  duration_ns: statistics(median),
  samples: [0.9, 0.95, 1, 1, 1.05, 1.1].map((factor) => Math.round(factor * median)),
  timer: 'cupti',
  counters: {},
  hot_spots: null,
});

const counted = (count: number): object => ({
  ...{ duration_ns: null, samples: [], timer: null, hot_spots: null },
  counters: {
    wave_instructions: { ...statistics(count), ci95: null },
    valu: { ...statistics(count / 2), ci95: null },
    ...{ salu: { ...statistics(7), ci95: null }, mfma: { ...statistics(0), ci95: null } },
    scratch: { ...statistics(0), ci95: null },
  },
});

function resultOf(more: object): ReplayResult {
  return replayResultSchema.parse({
    ...{
      kernel: 'saxpy',
      dispatch: 1,
      capture: 'capture',
      code: 'variant build/variant.hsaco',
      verdict: 'ran',
      exit_code: 0,
    },
    ...{ iterations: 6, cache: null, caches: null, fault: null, stopped: null, restored: { regions: 1, bytes: 4096 } },
    ...{ overridden: null, launch: 'direct', guard: null, lens: null, baseline: null, speed: null, check: null },
    ...{ dispatches: [], not_replayed: [] },
    ...measured(1000),
    ...more,
  });
}

/** Keeps a comparison: times on hardware, or counts. */
export function keepCompared(root: string, kind: 'times' | 'counts', deps: FakeDeps): void {
  const speed = { verdict: 'slower', ratio: 1.2, ci95: { low: 1.1, high: 1.3 }, rounds: 12, processes: 3 };
  const result =
    kind === 'times'
      ? resultOf({ ...measured(12_000), baseline: measured(10_000), speed })
      : resultOf({ ...counted(1200), baseline: counted(1000) });
  keepResult(keptPaths(root).compare, someDigest, result, deps);
}

export function keepHotSpots(root: string, deps: FakeDeps, file = 'kernel_variant.hip'): void {
  const instruction = { pc: '0x10', offset: '0x10', instruction: `v_add_f32 ${hostile}`, branch: false };
  const hotSpots = {
    by: 'executed',
    no_lines: null,
    lines: [
      { file, line: 3, text: 'y += x;', figures: { executed: 300, lanes: 9 } },
      { file, line: 1, text: null, figures: { executed: 2 } },
    ],
    instructions: [
      { ...instruction, file, line: 3, figures: { executed: 300 } },
      { ...instruction, file, line: 1, figures: { executed: 2 } },
    ],
  };
  keepResult(keptPaths(root).hotSpots, someDigest, resultOf({ ...counted(302), hot_spots: hotSpots }), deps);
}

export function keepExplained(root: string, deps: FakeDeps, file = 'kernel_variant.hip'): void {
  const place = {
    file,
    line: 3,
    text: `y += x; ${hostile}`,
    offset: null,
    instruction: null,
    says: '64 lines',
    figures: {},
  };
  const explanation = {
    position: { operations: 100, bytes: 400, operations_per_byte: 0.25, instructions_per_transaction: null },
    advice: [{ rule: 'coalescing', says: 'at least 9 of 10 go', next: 'transpose it', figures: {}, places: [place] }],
    not_told: ['nothing of caches'],
  };
  keepResult(keptPaths(root).explained, someDigest, resultOf({ ...counted(302), explanation }), deps);
}

export function writeTune(workspace: TestWorkspace, name: string): void {
  const score = (count: number): object => ({
    wave_instructions: count,
    time_ns: null,
    time_ratio: null,
    time_ci95: null,
  });
  const candidate = (value: number, more: object): object => ({
    ...{ key: `k${value}`, is_base: false, parameters: { [name]: value }, status: 'pass', reason: 'right' },
    ...{ score: score(1000 - value), ratio: 1 - value / 1000, code_object_sha256: null, from_cache: false },
    ...more,
  });
  workspace.write(join('kernels', 'app', 'saxpy', 'build', 'tune', 'tune.json'), {
    schema: 'kernloop.tune/1',
    kernel: 'saxpy',
    device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1' },
    scored_by: 'wave_instructions',
    dispatches: [1],
    space: {
      parameters: [{ name, values: [64, 128, 256], kind: 'define' }],
      ...{ constraints: [], search: 'grid', seed: null, configurations: 3, excluded: 0 },
    },
    captured: score(990),
    candidates: [
      candidate(256, { reason: 'at 256; right' }),
      candidate(128, {}),
      candidate(64, { is_base: true }),
      candidate(12, { status: 'fail', score: null, ratio: null, reason: hostile }),
    ],
    best: 'k256',
    reason: '256 is best',
    evaluated: 4,
    from_cache: 0,
    files: { result: 'r', plot: 'p', svg: 's', patch: null },
    applied: [],
  });
}

/** Profile of the app: two kernels with long names that begin with the same letters. */
export function writeProfile(workspace: TestWorkspace, name: string): void {
  const kernel = (symbol: string, share: number): object => ({
    ...{ name: `a_kernel_with_a_rather_long_name_${symbol}_${name}`, symbol, code_object: someDigest },
    ...{ dispatches: 1, share, total: 100 * share, min: 1, median: 1, max: 1, geometries: [] },
  });
  workspace.write(join('app', 'kernloop.json'), { name: 'app', command: ['./app'], kernels: [] });
  workspace.write(join('app', '.kernloop', 'profile.json'), {
    ...{ schema: 'kernloop.profile/1', app: 'app', device: { kind: 'softgpu', identity: 'softgpu-gfx90a-1' } },
    ...{ work: 'wave_instructions', processes: 1, dispatches: 2, total: 100 },
    kernels: [kernel('a', 0.75), kernel('b', 0.25)],
  });
}

/** Records three configurations tried by an autotuner of the app, one of which did not run. */
export function writeAutotuned(workspace: TestWorkspace, name: string, unit = 'ms'): void {
  const trial = (block: number, median: number | null): object => ({
    configuration: { BLOCK: { python: String(block) }, [name]: { python: name } },
    ...{ median, chosen: block === 128 },
  });
  workspace.write('kernels/app/saxpy/capture/triton.json', {
    ...{ schema: 'kernloop.triton/1', compilation: null, sources: {}, launch: null, winners: [], problem: null },
    tunings: [{ key: ['4096', name], unit, trials: [trial(1024, null), trial(64, 0.03), trial(128, 0.02)] }],
  });
}
