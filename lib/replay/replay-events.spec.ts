import { replayEvents } from './replay-events';

const parsed = (line: { event: string }): boolean => replayEvents.get(line.event)?.safeParse(line).success ?? false;

describe('an event of kernloop-replay', () => {
  // Lines of the native program, which prints every one of these with a fraction.
  it.each([
    { event: 'result', verdict: 'pass', replays: 8, confidence: 0.99, miss_per_replay: 1e-6, is_settled: true },
    {
      ...{
        event: 'tolerance',
        offset: 0,
        bytes: 8,
        dtype: 'f32',
        atol: 1e-5,
        rtol: 0.5,
        ulp: 1,
        elements: 2,
        equal: 0,
      },
      ...{ within: 1, outside: 1, not_finite: 0, max_abs_error: 0.25, max_rel_error: 0.125, max_ulp_error: 1.5e20 },
    },
    { event: 'iteration', index: 0, duration_ns: 1408, counters: { wave_instructions: 64 } },
  ])('may have a fraction where it is no count: %j', (line) => {
    expect(parsed(line)).toBe(true);
  });

  it.each([
    { event: 'result', verdict: 'pass', compared_bytes: 4.5 },
    { event: 'result', verdict: 'pass', replays: 1.5 },
    { event: 'iteration', index: 0, duration_ns: 1408.5 },
    { event: 'compared', bytes: 8, changed: true, ignored_bytes: 0, varying_bytes: 0, differing_bytes: -1 },
  ])('has counts and nanoseconds without one: %j', (line) => {
    expect(parsed(line)).toBe(false);
  });
});
