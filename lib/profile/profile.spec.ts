import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeRecorder } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { profileOptionsSchema } from './options';
import { profile } from './profile';

describe('profile', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const options = (overrides: object = {}) => profileOptionsSchema.parse({ app: workspace.app, ...overrides });
  const dispatch = (kernel: string, work: object, blocks = 4): object => ({
    event: 'dispatch',
    kernel,
    code_object: 'c',
    geometry: { grid_blocks: [blocks, 1, 1], block_threads: [64, 1, 1] },
    ...work,
  });

  function deps(events: object[], summary: object = {}, appExit = 0): FakeDeps {
    const recorder = fakeRecorder({
      play: (_config, print) => events.forEach(print),
      summary: { dispatches: events.length, kernels: [], ...summary },
    });
    return fakeDeps({ ldd: () => 1, program: () => appExit, 'kernloop-recorder': recorder }, workspace.native);
  }

  it('ranks kernels by what they executed, not by how often they ran', async () => {
    const events = [
      ...[10, 20, 40].map((count) => dispatch('often', { wave_instructions: count })),
      dispatch('once', { wave_instructions: 930 }, 8),
    ];
    const fake = deps(events);
    const result = await profile(options(), fake);
    expect(result.kernels).toMatchObject([
      { name: 'once', share: 0.93, dispatches: 1 },
      { name: 'often', share: 0.07, dispatches: 3, min: 10, median: 20, max: 40 },
    ]);
    expect(JSON.parse(readFileSync(join(workspace.app, '.kernloop', 'profile.json'), 'utf8'))).toEqual(result);
  });

  it('names the unit wave-instructions on the software GPU, and no time', async () => {
    const fake = deps([dispatch('k', { wave_instructions: 10, duration_ns: 5 })]);
    expect(await profile(options(), fake)).toMatchObject({ work: 'wave_instructions', total: 10 });
    expect(fake.said.result[0]).toContain('wave-instructions');
    expect(fake.said.result.join()).not.toMatch(/\bns\b/);
  });

  it('keeps kernels of the same name in different code objects apart', async () => {
    const events = [
      dispatch('k', { wave_instructions: 1 }),
      { ...dispatch('k', { wave_instructions: 2 }), code_object: 'd' },
    ];
    expect((await profile(options(), deps(events))).kernels).toHaveLength(2);
  });

  it.each([
    ['a failing app', [], {}, 3, 'APP_FAILED', 2],
    ['an app that launches nothing', [], { dispatches: 0 }, 0, 'NO_DISPATCH', 2],
    ['an app without a GPU runtime', [], { processes: 0 }, 0, 'NO_AGENT', 2],
    ['measurements that were lost', [], { dispatches: 2 }, 0, 'NATIVE_FAILED', 5],
  ])('is an error for %s', async (_name, events, summary, appExit, code, exitCode) => {
    expect(await failure(profile(options(), deps(events, summary, appExit)))).toMatchObject({ code, exitCode });
  });

  it('never ranks by a number that is not there', async () => {
    const error = await failure(profile(options(), deps([dispatch('k', { duration_ns: 5 })])));
    expect(error).toMatchObject({ code: 'NATIVE_FAILED' });
    expect(error.what).toContain('wave_instructions');
  });
});
