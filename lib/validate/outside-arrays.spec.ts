import type { ReplayRequest } from '../replay/program';
import type { ReplaySession } from '../replay/session';
import { fakeDeps } from '../testing/fake-deps';
import { cudaOf, fakeReplay, passed } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { replayGuarded } from './outside-arrays';

describe('accesses outside of the arrays', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const ran = { ...passed, verdict: 'ran' };
  const faulted = (text: string): object[] => [
    { event: 'fault', kind: 'memory', text },
    { ...passed, verdict: 'fault' },
  ];
  const read =
    "memory access outside of every allocation in kernel k at pc 0x5000 (entry +0x8), instruction `global_load_dword v0, v[0:1], off`, workgroup (0, 0, 0), wave 1, lane 0: read of 4 bytes at 0x41b700001040: 0 bytes past the end of the 64-byte allocation at 0x41b700001000 ('x'): 0 bytes behind region r0 (64 B)";

  interface Codes {
    /** Events of a replay with the guard. */
    variant: object[];
    captured?: object[];
    open?: object[];
  }
  const looked = async ({ variant, captured = [ran], open = [ran] }: Codes, more: Partial<ReplayRequest> = {}) => {
    const replays: string[] = [];
    const deps = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) => {
          const code = args.includes('--code-object') ? 'variant' : 'captured';
          const isGuarded = args.includes('--guard');
          replays.push(`${code}${isGuarded ? ', guarded' : ''}`);
          if (!isGuarded) return open;
          return code === 'variant' ? variant : captured;
        }),
      },
      workspace.native,
    );
    const session = {
      device: cudaOf(workspace),
      dispatch: { dispatch: 3 },
      code: { kind: 'variant', path: '/nowhere/mine.hsaco' },
      reproducer: { root: '/nowhere', config: { language: 'hip', device: { kind: 'softgpu' }, args: [] } },
      capture: { kernel: { symbol: 'k', name: 'k(int*)' }, regions: [], kernarg: { slots: [] } },
    } as unknown as ReplaySession;
    const request: ReplayRequest = { capture: '/c', stores: [], iterations: 1, seed: 1, codeObject: '/v', ...more };
    const { outcome, outside } = await replayGuarded(session, request, deps);
    return { verdict: outcome.result.verdict, outside, replays };
  };

  it('are found by the one replay that counts, where there are none', async () => {
    expect(await looked({ variant: [ran] })).toEqual({ verdict: 'ran', outside: null, replays: ['variant, guarded'] });
  });

  it('are those of the variant alone', async () => {
    const all = ['variant, guarded', 'variant', 'captured, guarded'];
    const found = await looked({ variant: faulted(read) });
    expect(found).toMatchObject({ verdict: 'ran', replays: all });
    expect(found.outside).toEqual({
      ...{ dispatch: 3, fault: read, source: null, next: null },
      access: 'read of 4 bytes, just behind region r0 (64 B)',
    });
    expect(await looked({ variant: faulted(read), captured: faulted(read) })).toEqual({
      ...{ verdict: 'ran', outside: null, replays: all },
    });
  });

  it.each([
    ['a trap, which is no access', { variant: faulted('trap in kernel k') }, {}],
    ['a fault without the guard, too', { variant: faulted(read), open: faulted(read) }, {}],
    ['a guard that the user asked for', { variant: faulted(read) }, { guard: true }],
    ['a limit', { variant: [{ ...passed, verdict: 'limit' }] }, {}],
  ])('are not told of %s', async (_case, codes, more) => {
    expect((await looked(codes, more)).outside).toBeNull();
  });

  it('end a replay that has the guard', async () => {
    const { outside: _outside, ...rest } = await looked({ variant: faulted(read) }, { guard: true });
    expect(rest).toEqual({ verdict: 'fault', replays: ['variant, guarded'] });
  });
});
