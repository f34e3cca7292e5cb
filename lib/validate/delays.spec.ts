import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { dirname, join } from 'node:path';
import { assemble } from '../probe/ptx/testing/shapes';
import { sha256 } from '../support/files';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { difference, differed, fakeCudaReplay, fakeLock, flag, passed } from '../testing/fake-programs';
import { schemaErrors } from '../testing/published-schema';
import { captureJson, reproducerForEachTest, someDigest, writeCapture } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import type { Report } from './report-json';
import { validate } from './validate';

/** Statements with six sites. */
const statements = [
  'ld.global.u32 %r1, [%rd1];',
  'st.shared.u32 [tile], %r1;',
  'bar.sync 0;',
  'ld.shared.u32 %r2, [tile+4];',
  'bar.sync 1;',
  'st.global.u32 [%rd1+4], %r2;',
];
const ptx = `.version 8.0 .target sm_90a .address_size 64
.visible .entry shapes(.param .u64 k_0) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 tile[64];
ld.param.u64 %rd1, [k_0];
${statements.join('\n')}
ret; }`;
/** Three sites, none of which accesses global memory. */
const shared = ptx
  .replace(statements[0] ?? '', '')
  .replace(statements[4] ?? '', '')
  .replace(statements[5] ?? '', '');
/** Seven sites; no fence orders the last store after the store before it. */
const flagged = ptx.replace('ret; }', 'st.volatile.global.u32 [%rd1+512], %r2;\nret; }');
const withPtx = assemble(ptx, '-lineinfo').cubin;
const withoutPtx = assemble(ptx).cubin;

const captured = {
  device: { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' },
  execution: {},
  kernel: { symbol: 'shapes', name: 'saxpy(float*, float)', code_object: someDigest },
};

/** A launch with delays: its code, seed and sites. */
interface Delayed {
  of: 'variant' | 'captured';
  seed: number;
  has: (site: number) => boolean;
  /** Site at which every warp waits, if there is one. */
  hold: number;
  /** Site at which half of the blocks wait, and which half; null if there is none. */
  half: { site: number; side: number; late: boolean } | null;
  /** Number of the process. */
  process: number;
}

const noSite = 0xffff_ffff;

interface Signal {
  given: Promise<void>;
  give: () => void;
}

function signalled(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** A replay that, if `meets`, ends only once a replay of the other kind has begun. */
const meeting =
  (meets: boolean, { usual, delayed }: { usual: Signal; delayed: Signal }, replay: FakeProgram): FakeProgram =>
  async (call) => {
    const hasDelays = flag(call.args, '--lens') !== undefined;
    if (meets && !call.args.includes('--describe-device')) {
      (hasDelays ? delayed : usual).give();
      await (hasDelays ? usual : delayed).given;
    }
    return await replay(call);
  };

describe('validate with random delays', () => {
  const made = reproducerForEachTest();
  const right = [passed];
  const wrong = [difference, differed];

  interface Given {
    /** Outcome of a replay with delays. */
    delayed?: (replay: Delayed) => object[];
    variant?: Buffer;
    captured?: Buffer;
    selfcheck?: object;
    options?: object;
    usual?: object[];
    /** Size of the capture; the default lets two processes hold it at once. */
    trackedBytes?: number;
    /** Whether usual replays and replays with delays wait for each other to begin. */
    meets?: boolean;
    /** Whether another stage has the device until ptxas was asked. */
    isTaken?: boolean;
    /** Launches that time allows beyond the requested ones. */
    fitting?: number | ((capture: string) => number);
  }

  function depsOf(
    {
      delayed = () => right,
      captured = withPtx,
      usual = right,
      fitting = Infinity,
      meets = false,
      isTaken = false,
    }: Given,
    delays: Delayed[],
  ): FakeDeps {
    const bin = made.workspace.write('bin/ptxas', '');
    chmodSync(bin, 0o755);
    const begun = { usual: signalled(), delayed: signalled() };
    const assembled = signalled();
    let isHeld = false;
    return fakeDeps(
      {
        sh: async (call) => {
          if (isTaken) await assembled.given;
          isHeld = true;
          return await fakeLock(call);
        },
        'kernloop-archive': (call) => {
          const { args } = call;
          writeFileSync(flag(args, '--output') ?? '', captured);
          return 0;
        },
        ptxas: ({ args }) => {
          writeFileSync(flag(args, '-o') ?? '', assemble(readFileSync(args.at(-1) ?? '', 'utf8')).cubin);
          assembled.give();
          return 0;
        },
        'kernloop-replay': meeting(
          meets,
          begun,
          fakeCudaReplay((args) => {
            expect(isHeld).toBe(true);
            const lens = flag(args, '--lens');
            if (lens === undefined) return usual;
            const process = (delays.at(-1)?.process ?? 0) + 1;
            const { parameters } = JSON.parse(readFileSync(lens, 'utf8')) as { parameters: { u32: string[] }[] };
            const events: object[] = [];
            const launches = Number(flag(args, '--iterations'));
            const most = typeof fitting === 'number' ? fitting : fitting(flag(args, '--capture') ?? '');
            const settle = flag(args, '--settle')?.split(':').map(Number);
            expect(parameters.map(({ u32 }) => u32.length)).toEqual(parameters.map(() => launches));
            for (let launch = 0; launch < launches; ++launch) {
              if (settle && launch >= (settle[0] ?? 0) + most) break;
              const [seed = 0, first = 0, count = 0, hold = 0, waiting = 0, side = 0, late = 0] = parameters.map(
                ({ u32 }) => Number(u32[launch]),
              );
              const site = waiting === noSite ? late : waiting;
              const replay: Delayed = {
                of: flag(args, '--code-object')?.includes('/captured/') ? 'captured' : 'variant',
                seed,
                has: (one) => one >= first && one < first + count,
                hold,
                half: site === noSite ? null : { site, side, late: waiting === noSite },
                process,
              };
              delays.push(replay);
              const found = delayed(replay);
              const isFault = found.some((event) => 'event' in event && event.event === 'fault');
              if (!isFault) events.push({ event: 'iteration', index: launch });
              if (found !== right) return [...events, ...found];
            }
            return [...events, ...right];
          }),
        ),
      },
      made.workspace.native,
      { env: { PATH: dirname(bin) } },
    );
  }

  async function judge(given: Given = {}): Promise<{ report: Report; result: string; delays: Delayed[] }> {
    const { workspace, reproducer } = made;
    const variant = workspace.path('mine.cubin');
    writeFileSync(variant, given.variant ?? withPtx);
    const scope = { mode: 'reachable', tracked_regions: 1, tracked_bytes: given.trackedBytes ?? 4096 };
    const path = writeCapture(workspace, { ...captured, scope });
    const selfcheck = join(reproducer, 'capture', 'selfcheck.json');
    const checked = JSON.parse(readFileSync(selfcheck, 'utf8')) as object;
    const digest = sha256(readFileSync(path, 'utf8'));
    workspace.write(selfcheck, sealed({ ...checked, capture_sha256: digest, ...given.selfcheck }));
    const delays: Delayed[] = [];
    const deps = depsOf(given, delays);
    const options = validateOptionsSchema.parse({ reproducer, device: 'cuda', variant, ...given.options });
    const report = await validate(options, deps);
    expect(schemaErrors('report', JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual([]);
    return { report, result: deps.said.result.at(-1) ?? '', delays };
  }
  /** A race that shows if a warp waits at all of these sites. */
  const races =
    (...sites: number[]) =>
    ({ of, seed, has }: Delayed): object[] =>
      of === 'variant' && seed === 3 && sites.every(has) ? wrong : right;

  it('launches four times more by other seeds, with delays at every site, and says so', async () => {
    const { report, result, delays } = await judge();
    const random = delays.filter(({ half }) => half === null);
    expect(random.map(({ of, seed }) => [of, seed])).toEqual([1, 2, 3, 4].map((seed) => ['variant', seed]));
    for (const { has } of random) expect([has(0), has(5), has(6)]).toEqual([true, true, false]);
    expect(report.delays).toMatchObject({
      replays: 4,
      halves: 8,
      of_halves: 8,
      sites: 6,
      judged: true,
      seed: null,
      places: [],
    });
    expect(result).toMatch(
      /^Result: PASS .*; the same in 4 replays with random delays and 8 with half of the blocks late\)$/,
    );
  });

  it('makes all of these launches in one process', async () => {
    expect(new Set((await judge()).delays.map(({ process }) => process)).size).toBe(1);
  });

  it('makes them beside the usual replays', async () => {
    expect((await judge({ meets: true })).report.delays).toMatchObject({ replays: 4, judged: true });
  });

  it('compiles their code while another stage has the device, and launches it afterwards', async () => {
    expect((await judge({ isTaken: true })).report.delays).toMatchObject({ replays: 4, judged: true });
  });

  it('says nothing of them if the variant is wrong without', async () => {
    const { report } = await judge({ usual: wrong, meets: true });
    expect([report.verdict, report.delays]).toEqual(['fail', undefined]);
  });

  it('has each half of the blocks wait at each access to global memory, stores first, and at no other site', async () => {
    const { delays } = await judge();
    const halves = delays.slice(4);
    // The halves of a site share a seed and together contain all blocks; another seed gives other halves.
    expect(halves.map(({ seed, half }) => ({ seed, half }))).toEqual(
      [1, 2].flatMap((seed) =>
        [5, 0].flatMap((site) => [0, 1].map((side) => ({ seed, half: { site, side, late: false } }))),
      ),
    );
    for (const { has } of halves) expect([has(0), has(5)]).toEqual([false, false]);
  });

  it.each([
    [0, '; not judged with half of the blocks late: there was no time for any of 8 launches'],
    [1, ' and 1 of 8 with half of the blocks late, for want of time'],
    [7, ' and 7 of 8 with half of the blocks late, for want of time'],
    [8, ' and 8 with half of the blocks late'],
  ])('says how few of these there was time for: %i', async (fitting, words) => {
    const { report, result, delays } = await judge({ fitting });
    expect(delays).toHaveLength(4 + fitting);
    expect(report.delays).toMatchObject({ replays: 4, halves: fitting, of_halves: 8, judged: true });
    expect(result.endsWith(`; the same in 4 replays with random delays${words})`)).toBe(true);
  });

  it.each([0, 9])(
    'says of a kernel without global accesses that there are none to hold blocks at, time or not',
    async (fitting) => {
      const { report, result } = await judge({ fitting, variant: assemble(shared, '-lineinfo').cubin });
      expect(report.delays).toMatchObject({ replays: 4, halves: 0, of_halves: 0, sites: 3, judged: true });
      expect(result).toMatch(
        /; the same in 4 replays with random delays; not judged with half of the blocks late: the kernel itself has no access to global memory\)$/,
      );
    },
  );

  it('says the least that was judged of several captured dispatches', async () => {
    const { workspace } = made;
    const other = (number: number): void => {
      const folder = `kernels/app/saxpy/captures/${number}`;
      const capture = workspace.write(
        `${folder}/capture.json`,
        captureJson({ ...captured, dispatch: { ordinal: number, index: number, queue: 0 } }),
      );
      workspace.write(`${folder}/chunks.pack`, '');
      const selfcheck = readFileSync(join(made.reproducer, 'capture', 'selfcheck.json'), 'utf8');
      const checked = JSON.parse(selfcheck) as object;
      workspace.write(
        `${folder}/selfcheck.json`,
        sealed({
          ...checked,
          capture_sha256: sha256(readFileSync(capture, 'utf8')),
        }),
      );
    };
    other(2);
    const { result } = await judge({ fitting: (capture) => (capture.endsWith('captures/2') ? 0 : 8) });
    expect(result).toMatch(
      /^Result: PASS \(2 captured dispatches: .*; not judged with half of the blocks late: there was no time for any of 8/,
    );
  });

  it.each([0, 1])('fails a result that differs if half %i waits alone, and names the place', async (side) => {
    const delayed = ({ of, half }: Delayed): object[] =>
      of === 'variant' && half?.site === 5 && half.side === side ? wrong : right;
    const { report, result, delays } = await judge({ delayed });
    expect(report).toMatchObject({
      verdict: 'fail',
      delays: { judged: true, replays: 4, halves: side + 1, half: side, places: [statements[5]] },
    });
    expect(result).toContain('If half of the blocks wait there, 4 of 4,096 bytes differ');
    expect(delays.some(({ of, half }) => of === 'captured' && half !== null)).toBe(true);
  });

  it('names the access that overtakes a half that waits: it stays behind if all blocks wait there', async () => {
    const delayed = ({ of, half, hold }: Delayed): object[] =>
      of === 'variant' && half?.site === 0 && !(hold > 0 && hold <= 3) ? wrong : right;
    expect((await judge({ delayed })).report.delays?.places).toEqual([statements[0], statements[3]]);
  });

  it('has a store of half of the blocks come behind a flag, where no fence is between, and names both', async () => {
    const variant = assemble(flagged, '-lineinfo').cubin;
    const passing = await judge({ variant });
    expect(passing.delays.slice(4, 8).map(({ seed, half }) => ({ seed, half }))).toEqual(
      [1, 2].flatMap((seed) => [0, 1].map((side) => ({ seed, half: { site: 6, side, late: true } }))),
    );
    expect(passing.report.delays).toMatchObject({ judged: true, of_halves: 16, late_stores: false });
    const delayed = ({ of, half }: Delayed): object[] => (of === 'variant' && half?.late ? wrong : right);
    const { report, result } = await judge({ variant, delayed });
    expect(report).toMatchObject({
      verdict: 'fail',
      delays: { half: 0, late_stores: true, places: [statements[5], 'st.volatile.global.u32 [%rd1+512], %r2;'] },
    });
    expect(result).toContain('a missing fence: st.global.u32 [%rd1+4], %r2; and st.volatile');
    expect(result).toContain('If other blocks see the second before the first, as nothing forbids, 4 of 4,096 bytes');
  });

  it('does not hold against a variant what the captured code does too if half of the blocks wait', async () => {
    const { report } = await judge({ delayed: ({ half }) => (half?.site === 5 ? wrong : right) });
    expect(report).toMatchObject({ verdict: 'pass', delays: { judged: false, half: 0 } });
    expect(report.summary).toMatch(/^NOT judged under delays: with them the captured code itself/);
  });

  it('fails a result that differs then, and names the two places that it takes', async () => {
    const { report, result, delays } = await judge({ delayed: races(1, 3) });
    expect([report.verdict, report.exit_code]).toEqual(['fail', 1]);
    expect(report.delays).toMatchObject({ judged: true, seed: 3, replays: 3, places: [statements[1], statements[3]] });
    expect(result).toMatch(
      /^Result: FAIL \(a race or a missing barrier: st\.shared\.u32 \[tile\], %r1; and ld\.shared/,
    );
    expect(delays.filter(({ of }) => of === 'captured').length).toBeGreaterThanOrEqual(4);
  });

  it.each([0, 2, 5])('names one place if site %i alone is enough', async (site) => {
    expect((await judge({ delayed: races(site) })).report.delays?.places).toEqual([statements[site]]);
  });

  it.each([
    [0, 3],
    [1, 4],
    [2, 5],
  ])(
    'names the access that overtakes site %i, if its delay alone is enough: it stays behind if all wait there',
    async (late, early) => {
      const delayed = (replay: Delayed): object[] =>
        replay.hold > late && replay.hold <= early ? right : races(late)(replay);
      expect((await judge({ delayed })).report.delays?.places).toEqual([statements[late], statements[early]]);
    },
  );

  it('does not hold against a variant what the captured code does too, and says so first', async () => {
    const { report, result } = await judge({
      delayed: ({ of, seed, has }) => (has(1) && (of === 'variant' ? seed === 1 : seed === 4) ? wrong : right),
    });
    expect(report).toMatchObject({ verdict: 'pass', delays: { judged: false, seed: 1 } });
    expect(result).toMatch(
      /^Result: PASS \(NOT judged under delays: with them the captured code itself does not repeat/,
    );
  });

  it('asks the captured code for more seeds if its results vary', async () => {
    const varying = { verdict: 'nondeterministic' };
    const given = { selfcheck: varying, delayed: races(1) };
    expect((await judge(given)).report.verdict).toBe('fail');
    const rarely = (replay: Delayed): object[] =>
      replay.of === 'captured' && replay.seed === 13 ? wrong : races(1)(replay);
    expect((await judge({ ...given, delayed: rarely })).report).toMatchObject({
      verdict: 'pass',
      delays: { judged: false },
    });
  });

  it('judges nothing by code that is wrong without any delay', async () => {
    const { report } = await judge({ delayed: () => wrong });
    expect(report.verdict).toBe('pass');
    expect(report.summary).toContain('fails without any delay, too');
  });

  it('judges nothing if the captured code has no PTX to compare with', async () => {
    const { report } = await judge({ captured: withoutPtx, delayed: races(1) });
    expect(report.verdict).toBe('pass');
    expect(report.summary).toMatch(/^NOT judged under delays: .* is not known: there is no PTX/);
  });

  it('says that code without PTX was not judged so', async () => {
    const { report, delays } = await judge({ variant: withoutPtx });
    expect([report.verdict, delays]).toEqual(['pass', []]);
    expect(report.summary).toMatch(/; not judged under delays: there is no PTX of saxpy to rewrite/);
    expect(report.delays).toMatchObject({ judged: false, replays: 0 });
  });

  it.each<[string, Given]>([
    ['asked for none', { options: { delays: 0 } }],
    ['the code is the captured one', { options: { variant: 'none' } }],
    [
      'the variant is wrong without, and the device may not hold the capture twice',
      { usual: wrong, trackedBytes: 2 ** 31 },
    ],
  ])('runs nothing if %s', async (_why, given) => {
    const { report, delays } = await judge(given);
    expect([delays, report.delays]).toEqual([[], undefined]);
  });

  it('is a fault if it faults then', async () => {
    const fault = [
      { event: 'fault', kind: 'memory' },
      { event: 'result', verdict: 'fault' },
    ];
    const { report } = await judge({ delayed: ({ of, has }) => (of === 'variant' && has(2) ? fault : right) });
    expect([report.verdict, report.exit_code]).toEqual(['fault', 4]);
    expect(report.summary).toMatch(
      /^a race or a missing barrier: bar\.sync 0;\. If warps wait there \(seed 1\), the device faults/,
    );
  });
});
