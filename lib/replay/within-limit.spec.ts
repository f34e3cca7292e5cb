import { fakeDeps } from '../testing/fake-deps';
import { cudaOf, fakeReplay, flag, passed } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import type { ReplayRequest } from './program';
import { replayWithinLimit } from './within-limit';

describe('a replay within a limit of instructions', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const limit = { event: 'result', verdict: 'limit' };
  /** Several threads exceed the limit; `onOneThread` is the outcome with one. */
  async function run(request: Partial<ReplayRequest>, onOneThread: object) {
    const program = fakeReplay((args) => [flag(args, '--threads') === '1' ? onOneThread : limit]);
    const deps = fakeDeps({ 'kernloop-replay': program }, workspace.native);
    const whole = { capture: 'capture', stores: [], seed: 2, compare: true, ...request };
    const { result } = await replayWithinLimit(whole, cudaOf(workspace), deps);
    const args = deps.calls.map((call) => call.args);
    return { verdict: result.verdict, threads: args.map((list) => flag(list, '--threads')), args };
  }

  it('is judged by one thread where several ran past it, with the same seed and limit', async () => {
    const { verdict, threads, args } = await run({ limitWaveInstructions: 1000 }, passed);
    expect([verdict, threads]).toEqual(['pass', [undefined, '1']]);
    const [first = [], second = []] = args;
    expect(second.filter((_arg, index) => !['--threads', '1'].includes(second[index] ?? ''))).toEqual(first);
  });

  it('stays past it where one thread runs past it, too', async () => {
    const { verdict, threads } = await run({ limitWaveInstructions: 1000, threads: 4 }, limit);
    expect([verdict, threads]).toEqual(['limit', ['4', '1']]);
  });

  it.each<[string, Partial<ReplayRequest>]>([
    ['one thread', { limitWaveInstructions: 1000, threads: 1 }],
    ['a limit of seconds', { limitSeconds: 1 }],
  ])('is not made again with %s', async (_name, request) => {
    const { verdict, threads } = await run(request, limit);
    expect(verdict).toBe('limit');
    expect(threads).toHaveLength(1);
  });
});
