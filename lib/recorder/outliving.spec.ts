import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { ProcessTable } from '../support/processes';
import { waitForOutliving } from './outliving';
import { RunState } from './run-state';
import type { RecorderConfig } from './recorder-config';

class FakeTable extends ProcessTable {
  looks = 0;

  /** `alive(n)`: processes that the n-th look finds; `gone`: those that have ended. */
  constructor(
    private readonly alive: (look: number) => number[],
    private readonly gone: ReadonlySet<number> = new Set(),
  ) {
    super('/nonexistent');
  }

  override withVariable(): number[] {
    this.looks += 1;
    return this.alive(this.looks);
  }

  override isAlive(pid: number): boolean {
    return !this.gone.has(pid);
  }

  override command(pid: number): string[] {
    return ['server', `--number=${pid}`, 'two words'];
  }
}

describe('waitForOutliving', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  const wait = async (table: FakeTable, overrides: object = {}) => {
    let ms = 0;
    const deps = fakeDeps({}, workspace.native, { clock: { now: () => new Date(0), monotonicMs: () => (ms += 100) } });
    const run = {
      app: 'app',
      socket: 's',
      connected: () => new Set<number>(),
      settled: () => false,
      limitSeconds: 1000,
      ...overrides,
    };
    await waitForOutliving(run, deps, table);
    return deps;
  };

  it('says nothing where nothing was left running', async () => {
    const deps = await wait(new FakeTable(() => []));
    expect([...deps.said.info, ...deps.said.warn]).toEqual([]);
  });

  it('waits until the last one has ended, and says once for whom', async () => {
    const table = new FakeTable((look) => (look < 4 ? [7] : []));
    const deps = await wait(table);
    expect(table.looks).toBe(4 + 2);
    expect(deps.said.info).toEqual([expect.stringContaining("process 7 (server --number=7 'two words')")]);
    expect(deps.said.warn).toEqual([]);
  });

  it('looks again where a server was just between two forks', async () => {
    const deps = await wait(new FakeTable((look) => (look === 2 || look === 4 ? [7] : [])));
    expect(deps.said.info).toHaveLength(1);
  });

  it('waits for a connected agent whose environment cannot be seen', async () => {
    const connected = new Set([9]);
    const table = new FakeTable((look) => {
      if (look === 3) connected.clear();
      return [];
    });
    await wait(table, { connected: () => connected });
    expect(table.looks).toBe(3 + 2);
  });

  it('does not take the app, whose end is not yet heard of, for something that it left running', async () => {
    const connected = new Set([9]);
    const looks = (look: number) => {
      if (look === 3) connected.clear();
      return [];
    };
    const deps = await wait(new FakeTable(looks, new Set([9])), { connected: () => connected });
    expect([...deps.said.info, ...deps.said.warn]).toEqual([]);
  });

  it('does not wait for a server that has given what was asked for', async () => {
    const table = new FakeTable(() => [7]);
    let captured = 0;
    await wait(table, { settled: () => ++captured > 2 });
    expect(table.looks).toBe(2);
  });

  it('gives up at the limit and names who is left', async () => {
    const deps = await wait(new FakeTable(() => [1, 2, 3, 4, 5, 6]), { limitSeconds: 0.5 });
    expect(deps.said.warn).toEqual([
      expect.stringMatching(/process 1 \(.*process 4 \(.* and 2 more; --linger-seconds/),
    ]);
  });
});

describe('RunState', () => {
  const config = (mode: 'capture' | 'profile', ids: string[]) =>
    ({ mode, selections: ids.map((id) => ({ id, output: `/${id}` })) }) as unknown as RecorderConfig;
  const refused = (id: string) => ({ event: 'refused', id, code: 'X', reason: '', hint: '' }) as const;

  it('is settled once every selection is captured or refused, and not after a violation', () => {
    const state = new RunState(config('capture', ['a', 'b']));
    state.take(refused('a'));
    expect(state.settled).toBe(false);
    state.take(refused('b'));
    expect(state.settled).toBe(true);
    state.take({ event: 'scope_violation', id: 'b', ordinal: 1, symbol: '', code_object: '', regions: [] });
    expect(state.settled).toBe(false);
  });

  it('is never settled where there may be one more', () => {
    const selections = [{ id: 'a', outputs: '/a' }];
    const state = new RunState({ mode: 'capture', selections } as unknown as RecorderConfig);
    state.take(refused('a'));
    expect(state.settled).toBe(false);
  });

  it('never settles a profile', () => {
    expect(new RunState(config('profile', [])).settled).toBe(false);
  });

  it('knows who is connected', () => {
    const state = new RunState(config('profile', []));
    const base = { executable: '', command: [], parent_pid: 0, runtime: '' };
    state.take({ event: 'process', pid: 5, ...base });
    state.take({ event: 'process', pid: 6, ...base });
    state.take({ event: 'process_end', pid: 5 });
    expect([...state.connected]).toEqual([6]);
  });
});
