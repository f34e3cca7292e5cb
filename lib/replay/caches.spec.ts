import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeCudaReplay, fakeLock, fakeReplay, flag } from '../testing/fake-programs';
import { reproducerForEachTest, writeCapture } from '../testing/workspace';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const mib = 2 ** 20;
const ran = { event: 'result', verdict: 'ran' };

describe('the state of the caches', () => {
  const made = reproducerForEachTest();

  const options = (overrides: object) => replayOptionsSchema.parse({ reproducer: made.reproducer, ...overrides });

  it.each(['warm', 'cold'])('is none on the software GPU, asked for a %s one, and the text says so', async (state) => {
    const cache = {
      event: 'cache',
      state,
      is_modelled: false,
      reported_bytes: 8 * mib,
      overwritten_bytes: state === 'cold' ? 24 * mib : 0,
    };
    const fake: FakeDeps = fakeDeps(
      { 'kernloop-replay': fakeReplay(() => [cache, { event: 'iteration', index: 0, counters: { waves: 4 } }, ran]) },
      made.workspace.native,
    );
    const result = await replay(options({ cache: state }), fake);
    expect(flag(fake.calls[0]?.args ?? [], '--cache')).toBe(state);
    expect(result.cache).toBeNull();
    expect(result.caches).toMatchObject({ state, is_modelled: false });
    expect(fake.said.result).toContain(`the software GPU has no caches: with ${state} ones it counts the same`);
  });

  it('is, where cold, that so much was overwritten, and how much the device tells of', async () => {
    const device = { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' };
    writeCapture(made.workspace, { device, execution: {} });
    const cache = {
      event: 'cache',
      state: 'cold',
      is_modelled: true,
      reported_bytes: 50 * mib,
      overwritten_bytes: 150 * mib,
    };
    const time = { event: 'iteration', index: 0, duration_ns: 5000, timer: 'cupti' };
    const fake = fakeDeps(
      { sh: fakeLock, 'kernloop-replay': fakeCudaReplay(() => [cache, time, ran]) },
      made.workspace.native,
    );
    const result = await replay(options({ device: 'cuda', cache: 'cold' }), fake);
    expect(result).toMatchObject({ cache: 'cold', caches: { reported_bytes: 50 * mib, overwritten_bytes: 150 * mib } });
    const text = fake.said.result.join('\n');
    expect(text).toContain(
      'before each launch the device overwrites 150.0 MiB; the largest cache that it tells of has 50.0 MiB',
    );
    expect(text).toContain('cold cache, timed by cupti');
  });
});
