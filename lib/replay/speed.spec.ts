import type { IterationEvent, Side } from './replay-events';
import { compareSpeed, launchesOf, processCount } from './speed';
import { medianInterval, quantile } from './statistics';

/** Pseudo-random numbers that are the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface World {
  /** True time of the variant relative to the captured code. */
  ratio: number;
  /** Relative spread of a launch, and of a process's effect on one side. */
  noise: number;
  ofProcess: number;
  /** Relative slowdown from each launch to the next. */
  drift: number;
}

/** Measurements of kernloop-replay in such a world: processes of ABBA and BAAB rounds. */
function measured(world: World, seed: number, iterations = 30): IterationEvent[][] {
  const random = randomNumbers(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: processCount }, (_, process) => {
    const bias = Math.exp(world.ofProcess * normal());
    const events: IterationEvent[] = [];
    for (let round = 0; round < launchesOf(process, iterations) / 2; round += 1) {
      const first: Side = random() < 0.5 ? 'captured' : 'variant';
      const second: Side = first === 'captured' ? 'variant' : 'captured';
      for (const side of [first, second, second, first]) {
        const factor = side === 'variant' ? world.ratio * bias : 1;
        const drift = 1 + world.drift * events.length;
        const duration = Math.round(1e6 * factor * drift * Math.exp(world.noise * normal()));
        events.push({ event: 'iteration', index: 0, side, round, duration_ns: duration });
      }
    }
    return events;
  });
}

const still: World = { ratio: 1, noise: 0.01, ofProcess: 0, drift: 0 };

/** Fraction of 400 experiments with the verdict. */
function share(verdict: string, world: World): number {
  const seeds = Array.from({ length: 400 }, (_, seed) => seed + 1);
  return seeds.filter((seed) => compareSpeed(measured(world, seed))?.verdict === verdict).length / seeds.length;
}

/** Times of both sides in order, spread over three processes. */
function byProcess(captured: readonly number[], variant: readonly number[]): IterationEvent[][] {
  let done = 0;
  return Array.from({ length: processCount }, (_, process) => {
    const first = done;
    done += launchesOf(process, captured.length);
    return Array.from({ length: done - first }, (_none, index) =>
      (['captured', 'variant'] as const).map((side) => ({
        ...{ event: 'iteration' as const, index, side, round: index >> 1 },
        duration_ns: (side === 'captured' ? captured : variant)[first + index] ?? 0,
      })),
    ).flat();
  });
}

describe('whether a variant is faster', () => {
  it.each([
    ['noise', {}],
    ['a clock that drifts by a tenth', { drift: 0.002 }],
    ['processes that favour one side by as much as the noise', { ofProcess: 0.01 }],
    ['processes that favour one side far more than the noise', { ofProcess: 0.05 }],
  ])('sees no difference where there is but %s', (_name, world) => {
    expect(share('no measurable difference', { ...still, ...world })).toBeGreaterThan(0.93);
  });

  it('would see one too often, were processes not looked at', () => {
    const world = { ...still, ofProcess: 0.05 };
    const seeds = Array.from({ length: 400 }, (_, seed) => seed + 1);
    const fooled = seeds.filter((seed) => {
      const ratios = measured(world, seed).flatMap((events) => compareSpeed([events])?.ratio ?? []);
      return ratios.every((ratio) => ratio < 1) || ratios.every((ratio) => ratio > 1);
    });
    expect(fooled.length / seeds.length).toBeGreaterThan(0.2);
  });

  it('would see one nearly always in a drift, were the sides not in turns', () => {
    const fooled = Array.from({ length: 50 }, (_, seed) => {
      const durations = measured({ ...still, noise: 0.002, drift: 0.002 }, seed + 1)
        .flat()
        .map(({ duration_ns: duration }) => duration ?? 0);
      const early = medianInterval(durations.slice(0, 10).sort((a, b) => a - b));
      const late = medianInterval(durations.slice(10, 20).sort((a, b) => a - b));
      return early !== null && late !== null && early.high < late.low;
    });
    expect(fooled.filter(Boolean).length).toBeGreaterThan(45);
  });

  it.each([
    ['faster', 0.96],
    ['slower', 1.04],
  ])('sees that it is %s by four times the noise', (verdict, ratio) => {
    expect(share(verdict, { ...still, ratio, drift: 0.002 })).toBeGreaterThan(0.95);
  });

  it('gives the ratio and an interval that holds it', () => {
    const speed = compareSpeed(measured({ ...still, ratio: 0.8 }, 7));
    expect(speed?.ratio).toBeCloseTo(0.8, 1);
    expect(speed?.ci95?.low).toBeLessThan(0.8);
    expect(speed?.ci95?.high).toBeGreaterThan(0.8);
    expect(speed).toMatchObject({ verdict: 'faster', rounds: 15, processes: 3 });
  });

  /** CUPTI's durations on an H100, whose clock steps by 32 ns: the captured code against itself, `--cache cold`. */
  const recorded = byProcess(
    [
      1376, 1568, 1376, 1376, 1504, 1344, 1568, 1376, 1376, 1408, 1537, 1504, 1376, 1376, 1376, 1343, 1408, 1536, 1376,
      1345, 1376, 1408, 1568, 1376, 1376, 1407, 1376, 1377, 1376, 1376,
    ],
    [
      1440, 1504, 1472, 1600, 1408, 1505, 1568, 1408, 1536, 1568, 1408, 1408, 1408, 1408, 1408, 1504, 1376, 1440, 1408,
      1600, 1440, 1408, 1600, 1409, 1407, 1632, 1408, 1440, 1600, 1408,
    ],
  );

  it('calls no step of the clock a difference: the captured code against itself, on an H100', () => {
    const speed = compareSpeed(recorded);
    expect(speed).toMatchObject({ verdict: 'no measurable difference', clock_step_ns: 32 });
    expect(speed?.ratio).toBeGreaterThan(1.02);
  });

  describe('by a clock that steps by 32 ns', () => {
    /** The clock shows its last step; one side's launches in a process all start at the same point of a step. */
    const stepped = (ns: number, ratio: number, seed: number): IterationEvent[][] => {
      const random = randomNumbers(seed);
      return measured({ ...still, noise: 0.002, ofProcess: 0.002, ratio }, seed).map((events) => {
        const phases = { captured: random() * 32, variant: random() * 32 };
        return events.map((event) => {
          const phase = phases[event.side ?? 'captured'];
          const steps = Math.floor((phase + ((event.duration_ns ?? 0) / 1e6) * ns) / 32);
          return { ...event, duration_ns: steps * 32 };
        });
      });
    };
    const rate = (verdict: string, ns: number, ratio: number, count: number): number =>
      Array.from({ length: count }, (_, seed) => compareSpeed(stepped(ns, ratio, seed + 1))?.verdict).filter(
        (one) => one === verdict,
      ).length / count;

    it.each([1_300, 1_408, 5_000, 20_000, 300_000])('is equal code of %i ns faster in one of 40 at most', (ns) => {
      expect(rate('faster', ns, 1, 1000)).toBeLessThanOrEqual(0.025);
      expect(rate('slower', ns, 1, 1000)).toBeLessThanOrEqual(0.025);
    });

    it.each([
      ['faster', 0.95],
      ['slower', 1.05],
    ])('is a twentieth of 20 µs seen to be %s', (verdict, ratio) => {
      expect(rate(verdict, 20_000, ratio, 200)).toBeGreaterThan(0.95);
    });

    it('decides nothing for a kernel of one step', () => {
      expect(compareSpeed(stepped(40, 1, 7))).toMatchObject({ verdict: 'undecided', ci95: null });
    });
  });

  it.each([
    ['a clock without steps', [900, 901, 902, 1000, 1001, 1003], 1],
    ['times that are all alike', [900, 900], 0],
  ])('knows %s', (_name, times, step) => {
    const events: IterationEvent[] = [0, 1, 2, 3].map((index) => ({
      ...{ event: 'iteration', index, round: 0 },
      side: index % 2 === 0 ? ('captured' as const) : ('variant' as const),
      duration_ns: times[index % times.length] ?? 0,
    }));
    const beyond = times.slice(4).map((ns, index) => ({ ...events[0], index, round: 9, duration_ns: ns }));
    expect(compareSpeed([[...events, ...beyond] as IterationEvent[]])?.clock_step_ns).toBe(step);
  });

  it('takes the geometric mean of a round, in which order does not matter', () => {
    const round = (...times: [Side, number][]): IterationEvent[] =>
      times.map(([side, duration]) => ({ event: 'iteration', index: 0, side, round: 0, duration_ns: duration }));
    const speed = compareSpeed([round(['captured', 100], ['variant', 400], ['variant', 100], ['captured', 100])]);
    expect(speed?.ratio).toBeCloseTo(2, 12);
  });

  it('leaves an incomplete round out', () => {
    const [events = []] = measured(still, 3, 6);
    expect(compareSpeed([events.slice(0, -1)])).toBeNull();
  });

  it('decides nothing from too few rounds or processes', () => {
    expect(compareSpeed(measured({ ...still, ratio: 0.5 }, 3, 10))).toMatchObject({
      verdict: 'undecided',
      ci95: null,
      rounds: 5,
    });
    const two = measured({ ...still, ratio: 0.5 }, 3).slice(0, 2);
    expect(compareSpeed(two)).toMatchObject({ verdict: 'undecided', processes: 2 });
    expect(
      quantile(
        two.map((events) => compareSpeed([events])?.ratio ?? 0),
        0,
      ),
    ).toBeLessThan(0.6);
  });

  it.each([1, 2, 5, 6, 7, 12, 30, 31, 100])('measures each side %i times in all', (iterations) => {
    const shares = Array.from({ length: processCount }, (_, process) => launchesOf(process, iterations));
    expect(shares.reduce((sum, launches) => sum + launches, 0)).toBe(iterations);
    expect(shares.filter((launches) => launches % 2 === 1)).toHaveLength(iterations % 2);
  });
});
