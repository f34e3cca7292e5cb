import { devicePools } from './device-pools';

describe('GPUs that jobs may get', () => {
  const files: Record<string, string> = {
    here: JSON.stringify({ name: 'here', command: ['a'] }),
    there: JSON.stringify({ name: 'there', command: ['a'], runner: { slurm: { gres: 'gpu:h100:1', retries: 1 } } }),
    same: JSON.stringify({ name: 'same', command: ['a'], runner: { slurm: { gres: 'gpu:h100:1', time: '10' } } }),
    other: JSON.stringify({ name: 'other', command: ['a'], runner: { slurm: { gres: 'gpu:a100:1' } } }),
    broken: '{',
  };
  const pools = (names: string[], env = {}): string[] => devicePools(names, (name) => files[name] ?? '', env);

  it('are told by what chooses them', () => {
    expect(pools(['here', 'broken'])).toEqual([]);
    expect(pools(['there', 'same'])).toEqual(pools(['there']));
    expect(pools(['there', 'other'])).toHaveLength(2);
    expect(pools(['other', 'there'])).toEqual(pools(['there', 'other']));
  });

  it('count for nothing where tasks run here', () => {
    expect(pools(['there'], { KERNLOOP_RUNNER: 'local' })).toEqual([]);
  });
});
