import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { cudaDevice, fakeLock, fakeReplay, flag } from '../testing/fake-programs';
import { TestWorkspace, writeReproducer, writeVariant, writeCapture } from '../testing/workspace';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const ran = { event: 'result', verdict: 'ran' };
const times = (...values: number[]): object[] =>
  values.map((duration, index) => ({ event: 'iteration', index, duration_ns: duration, timer: 'cupti' }));

describe('replay on the cuda device', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
    captureOf('sm_90');
  });
  afterEach(() => workspace.dispose());

  function captureOf(isa: string): void {
    const device = { kind: 'cuda', identity: 'cuda-sm_90-1', isa };
    writeCapture(workspace, { device, execution: {} });
  }

  const options = (overrides: object = {}) => replayOptionsSchema.parse({ reproducer, device: 'cuda', ...overrides });
  const deps = (answer: (args: readonly string[]) => object[], gpu: object = cudaDevice): FakeDeps =>
    fakeDeps(
      {
        sh: fakeLock,
        'kernloop-replay': fakeReplay((args) => (args.includes('--describe-device') ? [gpu] : answer(args))),
      },
      workspace.native,
    );
  const replays = (fake: FakeDeps): (readonly string[])[] =>
    fake.calls.map(({ args }) => args).filter((args) => args.includes('--capture'));

  it('reports median, interval, range and percentiles, the timer and the state of the cache', async () => {
    const samples = Array.from({ length: 30 }, (_, index) => 20_000 + 100 * index);
    const fake = deps(() => [...times(...samples), ran]);
    const result = await replay(options(), fake);
    expect(result).toMatchObject({
      duration_ns: { count: 30, min: 20_000, median: 21_450, max: 22_900, ci95: { low: 20_900, high: 22_000 } },
      samples,
      timer: 'cupti',
      cache: 'warm',
      counters: {},
    });
    const text = fake.said.result.join('\n');
    expect(text).toMatch(/GPU time, µs +median +95% CI +min +p10 +p90 +max/);
    expect(text).toContain('21.45');
    expect(text).toContain('20.90–22.00');
    expect(text).toContain('warm cache, timed by cupti');
    expect(text).not.toContain('wave');
  });

  it('warms up, measures often and limits by seconds, without a seed', async () => {
    const fake = deps(() => [...times(1), ran]);
    await replay(options(), fake);
    const [args = []] = replays(fake);
    expect(['--iterations', '--warmup', '--cache', '--limit-seconds'].map((name) => flag(args, name))).toEqual([
      '30',
      '3',
      'warm',
      '60',
    ]);
    for (const option of ['--seed', '--threads', '--limit-wave-instructions', '--profile'])
      expect(args).not.toContain(option);
  });

  it('has no hot spots, and says where to find some', async () => {
    const error = await failure(
      replay(
        options({ hotSpots: true }),
        deps(() => [...times(1), ran]),
      ),
    );
    expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect(error.hint).toContain('ncu');
  });

  it('does as it is told, and leaves it to the program to refuse what the device has not', async () => {
    const fake = deps(() => [...times(1), ran]);
    await replay(options({ iterations: 5, warmup: 0, cache: 'cold', seed: 4 }), fake);
    const [args = []] = replays(fake);
    expect(['--iterations', '--warmup', '--cache', '--seed'].map((name) => flag(args, name))).toEqual([
      '5',
      '0',
      'cold',
      '4',
    ]);
  });

  describe('with a variant beside the captured code', () => {
    const checked = (differing = 0): object[] =>
      ['captured', 'variant'].map((side) => ({
        event: 'checked',
        side,
        compared_bytes: 800,
        differing_bytes: side === 'variant' ? differing : 0,
      }));
    /** Alternates both sides; the n-th launch of the variant takes `variant(n)`, the captured code 1000. */
    const against = (variant: (launch: number) => number, more: object[] = checked()) => {
      writeVariant(workspace);
      let launch = 0;
      return deps((args) => [
        ...more,
        ...Array.from({ length: Number(flag(args, '--iterations')) }, (_, index) => [
          { event: 'iteration', index, round: Math.floor(index / 2), side: 'captured', duration_ns: 1000 },
          { event: 'iteration', index, round: Math.floor(index / 2), side: 'variant', duration_ns: variant(launch++) },
        ]).flat(),
        { ...ran, side: 'variant' },
      ]);
    };

    it('takes three processes of both sides, each with an order of its own, and measures each side as often as asked', async () => {
      const fake = against(() => 900);
      const result = await replay(options({ compare: true, iterations: 20 }), fake);
      const started = replays(fake);
      expect(started.map((args) => flag(args, '--iterations'))).toEqual(['8', '6', '6']);
      expect(started.map((args) => flag(args, '--order-seed'))).toEqual(['0', '1', '2']);
      for (const args of started) {
        expect(args).toContain('--side-by-side');
        expect(args).toContain('--code-object');
        expect(args).not.toContain('--compare');
      }
      expect([result.samples.length, result.baseline?.samples.length]).toEqual([20, 20]);
      expect([result.duration_ns?.median, result.baseline?.duration_ns?.median]).toEqual([900, 1000]);
    });

    it.each([
      ['faster', (launch: number) => 900 + (launch % 3)],
      ['slower', (launch: number) => 1100 + (launch % 3)],
      ['no measurable difference', (launch: number) => 980 + 10 * (launch % 5)],
    ])('says %s', async (verdict, variant) => {
      const fake = against(variant);
      const result = await replay(options({ compare: true }), fake);
      expect(result.speed).toMatchObject({ verdict, rounds: 15, processes: 3 });
      expect(fake.said.result.join('\n')).toMatch(new RegExp(`15 rounds in 3 processes(; [^)]*)?\\): ${verdict}`));
    });

    it('decides nothing from fewer launches than chance needs', async () => {
      const result = await replay(
        options({ compare: true, iterations: 4 }),
        against(() => 500),
      );
      expect(result.speed).toMatchObject({ verdict: 'undecided', ci95: null, ratio: 0.5 });
    });

    it.each([
      [30, 900, 'both gave what the app computed; the variant took 0.901× the time of the captured code: faster; '],
      [30, 1100, 'both gave what the app computed; the variant took 1.101× the time of the captured code: slower; '],
      [4, 500, 'both gave what the app computed; which is faster is undecided; '],
    ])('sums up in its last line what %s launches of %s ns say', async (iterations, nanoseconds, words) => {
      const fake = against((launch) => nanoseconds + (iterations > 4 ? launch % 3 : 0));
      await replay(options({ compare: true, iterations }), fake);
      expect(fake.said.result.at(-1)).toBe(`Result: RAN (${iterations} replays; ${words}validate judges)`);
    });

    it.each([
      [{ compared_bytes: 0 }, 'no memory was compared'],
      [{ differing_bytes: 9 }, 'the captured code itself differs from what the app computed'],
    ])('claims no right result in its last line where the check has %j', async (more, words) => {
      const events = checked().map((event) => ({ ...event, ...more }));
      const fake = against(() => 500, events);
      await replay(options({ compare: true }), fake);
      expect(fake.said.result.at(-1)).toContain(`(30 replays; ${words}`);
      expect(fake.said.result.at(-1)).not.toContain('both gave');
    });

    it('says that a fast variant is wrong', async () => {
      const fake = against(() => 500, checked(37));
      const result = await replay(options({ compare: true }), fake);
      expect(result).toMatchObject({
        exit_code: 0,
        check: { captured: { differing_bytes: 0 }, variant: { differing_bytes: 37 } },
      });
      expect(fake.said.result.join('\n')).toContain(
        'the variant differs from what the app computed in 37 of 800 bytes',
      );
      expect(fake.said.result.at(-1)).toBe(
        'Result: RAN (30 replays; the variant differs from what the app computed; validate judges)',
      );
    });

    it('calls no variant faster that gives the result in some launches alone', async () => {
      const events = (wrongLaunches: number): object[] =>
        ['captured', 'variant'].map((side) => ({
          event: 'checked',
          side,
          compared_bytes: 800,
          launches: 11,
          wrong_launches: side === 'variant' ? wrongLaunches : 0,
          differing_bytes: side === 'variant' && wrongLaunches > 0 ? 37 : 0,
        }));
      const gated = against(() => 500, events(10));
      const result = await replay(options({ compare: true }), gated);
      expect(result).toMatchObject({ speed: null, check: { variant: { launches: 33, wrong_launches: 30 } } });
      expect(gated.said.result.join('\n')).toContain(
        'in 0 of 33 launches of the captured code and 30 of 33 launches of the variant',
      );
      expect(gated.said.result.join('\n')).not.toContain('faster');
      expect(gated.said.result.at(-1)).toContain('launches of one code gave different results');
      const right = against((launch) => 500 + (launch % 4), events(0));
      expect((await replay(options({ compare: true }), right)).speed?.verdict).toBe('faster');
      expect(right.said.result.join('\n')).toContain(
        'both as the app computed it (800 bytes after each of 33 launches)',
      );
    });

    it('doubts a time in which the device cannot write what the app wrote', async () => {
      const events = checked().map((event) => ({ ...event, least_ns: 700 }));
      const impossible = against(() => 500, events);
      expect((await replay(options({ compare: true }), impossible)).doubts).toEqual([
        expect.stringMatching(/the time of the variant is not to be believed: .* at least 0.70 µs/),
      ]);
      expect(impossible.said.result.at(-1)).toMatch(/app computed; validate judges\)$/);
      expect(
        (
          await replay(
            options({ compare: true }),
            against(() => 800, events),
          )
        ).doubts,
      ).toEqual([]);
    });

    it('says that the clocks were not those of the other side', async () => {
      const conditions = (side: string, mhz: number): object => ({
        event: 'conditions',
        side,
        samples: 10,
        sm_mhz: { min: mhz, max: mhz },
        slowed_by: [],
      });
      const fake = against(() => 900, [...checked(), conditions('captured', 1980), conditions('variant', 1500)]);
      const { doubts } = await replay(options({ compare: true }), fake);
      expect(doubts).toEqual([expect.stringMatching(/^clocks were not the same for both/)]);
      expect(fake.said.result).toContain('the GPU after this code: SM 1500 MHz');
    });

    it.each([
      ['variant', 'the variant: the device faulted'],
      ['captured', 'the captured code: the device faulted'],
    ])('says that the %s faulted, and starts nothing after it', async (side, what) => {
      writeVariant(workspace);
      const fake = deps(() => [
        { event: 'iteration', index: 0, round: 0, side: 'captured', duration_ns: 1000 },
        { event: 'fault', side, kind: 'memory_access', text: 'a wild write' },
        { event: 'result', verdict: 'fault', side },
      ]);
      const result = await replay(options({ compare: true }), fake);
      expect(result).toMatchObject({ verdict: 'fault', exit_code: 4, stopped: side, speed: null });
      expect(replays(fake)).toHaveLength(1);
      expect(fake.said.result.at(-1)).toBe(`Result: FAIL (${what}: a wild write)`);
    });

    it('writes one dump', async () => {
      const fake = against(() => 900);
      await replay(options({ compare: true, dump: 'dump' }), fake);
      expect(replays(fake).map((args) => args.includes('--dump'))).toEqual([true, false, false]);
    });
  });

  it.each([
    ['sm_90', 'sm_90', true],
    ['sm_80', 'sm_86', true],
    ['sm_86', 'sm_80', false],
    ['sm_90', 'sm_100', false],
    ['sm_90a', 'sm_90', true],
    ['sm_100a', 'sm_103', false],
  ])('runs code for %s on %s: %s', async (captured, isa, runs) => {
    captureOf(captured);
    const started = replay(
      options(),
      deps(() => [...times(1), ran], { ...cudaDevice, isa }),
    );
    if (runs) expect((await started).verdict).toBe('ran');
    else expect(await failure(started)).toMatchObject({ code: 'DEVICE_MISMATCH', exitCode: 5 });
  });
});
