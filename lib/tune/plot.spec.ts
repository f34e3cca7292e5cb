import { tunePlot } from './plot';

const candidate = (value: number, count: number) => ({
  ...{ key: String(value), is_base: value === 1, parameters: { UNROLL: value }, status: 'pass' as const, reason: '' },
  score: { wave_instructions: count, time_ns: null, time_ratio: null, time_ci95: null },
  ...{ ratio: 1, code_object_sha256: null, from_cache: false },
});

describe('the plot of a search', () => {
  it('has the values of a parameter by size, not by score', () => {
    const plot = tunePlot({
      ...{
        kernel: 'k',
        device: { kind: 'softgpu', identity: 'softgpu' },
        scored_by: 'wave_instructions',
        captured: null,
      },
      space: {
        parameters: [{ name: 'UNROLL', values: [1, 2, 4, 10], kind: 'macro' }],
        ...{ constraints: [], search: 'grid', seed: null, configurations: 4, excluded: 0 },
      },
      candidates: [candidate(1, 10), candidate(10, 20), candidate(4, 30), candidate(2, 40)],
    });
    expect(plot).toMatchObject({ layer: [{ encoding: { x: { sort: [1, 2, 4, 10] } } }] });
  });
});
