import { tunePlot } from './plot';

const candidate = (value: number, waveInstructions: number) => ({
  ...{ key: String(value), isBase: value === 1, parameters: { UNROLL: value }, status: 'pass' as const, reason: '' },
  score: { waveInstructions, timeNs: null, timeRatio: null, timeCi95: null },
  ...{ ratio: 1, codeObjectSha256: null, fromCache: false },
});

describe('the plot of a search', () => {
  it('has the values of a parameter by size, not by score', () => {
    const plot = tunePlot({
      ...{
        kernel: 'k',
        device: { kind: 'softgpu', identity: 'softgpu' },
        scoredBy: 'wave_instructions',
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
