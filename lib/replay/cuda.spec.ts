import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { cudaDevice, fakeLock, fakeReplay, flag } from '../testing/fake-programs';
import { captureJson, TestWorkspace, writeReproducer, writeVariant } from '../testing/workspace';
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
    workspace.write('kernels/app/saxpy/capture/capture.json', captureJson({ device, execution: {} }));
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
      durationNs: { count: 30, min: 20_000, median: 21_450, max: 22_900, ci95: { low: 20_900, high: 22_000 } },
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
    for (const option of ['--seed', '--threads', '--limit-wave-instructions']) expect(args).not.toContain(option);
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
    /** Times of the n-th process of each side. */
    const against = (variant: (turn: number) => number, captured: (turn: number) => number = () => 1000) => {
      writeVariant(workspace);
      const turns = { variant: 0, captured: 0 };
      return deps((args) => {
        const side = args.includes('--code-object') ? 'variant' : 'captured';
        const time = (side === 'variant' ? variant : captured)(turns[side]++);
        return [...times(...Array<number>(Number(flag(args, '--iterations'))).fill(time)), ran];
      });
    };

    it('takes turns, changes who goes first, and measures each side as often as asked', async () => {
      const fake = against(() => 900);
      const result = await replay(options({ compare: true, iterations: 20 }), fake);
      const order = replays(fake).map((args) => (args.includes('--code-object') ? 'v' : 'c'));
      expect(order.join('')).toBe('cvvccvvccvvc');
      expect([result.samples.length, result.baseline?.samples.length]).toEqual([20, 20]);
    });

    it.each([
      ['faster', (turn: number) => 900 + turn],
      ['slower', (turn: number) => 1100 + turn],
      ['no measurable difference', (turn: number) => 997 + 2 * turn],
    ])('says %s', async (verdict, variant) => {
      const fake = against(variant);
      const result = await replay(options({ compare: true }), fake);
      expect(result.speed).toMatchObject({ verdict, turns: 6 });
      expect(fake.said.result.join('\n')).toContain(`6 turns): ${verdict}`);
    });

    it('is not fooled by a clock that drifts', async () => {
      // Both sides slow down by a tenth with every turn; the variant is no different.
      const drift = (turn: number): number => 1000 * 1.1 ** turn;
      const result = await replay(
        options({ compare: true }),
        against((turn) => drift(turn) + (turn % 2 ? 5 : -5), drift),
      );
      expect(result.speed?.verdict).toBe('no measurable difference');
    });

    it('decides nothing from fewer turns than chance needs', async () => {
      const result = await replay(
        options({ compare: true, iterations: 3 }),
        against(() => 500),
      );
      expect(result.speed).toMatchObject({ verdict: 'undecided', ci95: null, ratio: 0.5 });
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
