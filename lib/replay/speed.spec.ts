import type { IterationEvent, Side } from './replay-events';
import { compareSpeed, launchesOf, processCount } from './speed';
import { medianInterval, quantile } from './statistics';

/** Numbers that look random and are the same every time (mulberry32). */
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
  /** True time of the variant over that of the captured code. */
  ratio: number;
  /** Relative spread of a launch, and of what a process does to one side. */
  noise: number;
  ofProcess: number;
  /** By how much of it every launch is slower than the one before. */
  drift: number;
}

/** What kernloop-replay would have measured in such a world: processes of ABBA and BAAB rounds. */
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

/** How many of 400 experiments give the verdict. */
function share(verdict: string, world: World): number {
  const seeds = Array.from({ length: 400 }, (_, seed) => seed + 1);
  return seeds.filter((seed) => compareSpeed(measured(world, seed))?.verdict === verdict).length / seeds.length;
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
