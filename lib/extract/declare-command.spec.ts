import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../app/app';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { fakeLock, fakeRecorder, type Play } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { declareCommand } from './declare-command';
import { extractOptionsSchema } from './options';

type FakeEnd = Awaited<ReturnType<FakeProgram>>;

const row = {
  ...{ name: 'mine(float*)', symbol: '_Zmine', code_object: 'c', unit: 'wave_instructions', dispatches: 1 },
  ...{ total: 70, min: 70, median: 70, max: 70 },
  geometries: [{ grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 1 }],
};

describe('kernels of a command, as they are declared,', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
    rmSync(join(workspace.app, 'kernloop.json'));
  });
  afterEach(() => workspace.dispose());

  /** Declares kernels of a program that ends like this, after these launches. */
  const declareOf = async (
    end: FakeEnd,
    summary: object,
    { notes = [], kernel = ['mine'] }: { notes?: readonly object[]; kernel?: string[] } = {},
  ): Promise<{ kernels: unknown; warned: string; chosen: string }> => {
    const play: Play = (_config, print) => notes.forEach(print);
    const deps = fakeDeps(
      { ldd: () => 1, program: () => end, 'kernloop-recorder': fakeRecorder({ play, summary }), sh: fakeLock },
      workspace.native,
    );
    const options = { app: workspace.app, command: ['./program'], kernel, build: false };
    const { kernel: kernels } = await declareCommand(extractOptionsSchema.parse(options), deps);
    return { kernels, warned: deps.said.warn.join('\n'), chosen: deps.said.info.join('\n') };
  };
  const mine = { name: row.name, symbol: row.symbol, dispatches: 1 };
  const fill = { name: '__amd_rocclr_fill', symbol: '__amd_rocclr_fill', dispatches: 1 };
  const measured = (...rows: object[]): object => ({
    dispatches: rows.length,
    kernels: rows.map((each) => ({ ...mine, ...each, dispatches: 1 })),
    kernel_profile: rows.map((each) => ({ ...row, ...each })),
  });
  const launched = measured({});
  /** The last launches before a signal have no measurement yet. */
  const unmeasured = { dispatches: 3, kernels: [mine, fill], kernel_profile: [{ ...row, ...fill }] };
  const killed = { exitCode: null, signal: 'SIGSEGV' } as const;
  const declared = (): string[] => openApp(workspace.app).config.kernels.map(({ name }) => name);

  it.each<[FakeEnd, object, string]>([
    [3, launched, 'exited with code 3'],
    [killed, launched, 'was killed by SIGSEGV'],
    [killed, unmeasured, 'was killed by SIGSEGV'],
  ])('are those of a program that fails after its launches, too (%j)', async (end, summary, how) => {
    const { kernels, warned } = await declareOf(end, summary);
    expect([kernels, declared()]).toEqual([['mine'], ['mine']]);
    expect(warned).toBe(`program failed after it launched mine(float*): ./program ${how}; extracting goes on`);
  });

  it('lead where a name is mistyped, whatever the program did then', async () => {
    const error = await failure(declareOf(killed, launched, { kernel: ['minne'] }));
    expect(error.code).toBe('NO_MATCH');
    expect(error.what).toMatch(/^no launched kernel matches "minne"; program failed after these launches: .*SIGSEGV$/);
    expect(error.hint).toMatch(/^did you mean mine/);
  });

  it('are told without a warning if the program succeeds', async () => {
    expect((await declareOf(0, launched)).warned).toBe('');
  });

  it('are compared only by the costs that a program which failed has told', async () => {
    expect((await declareOf(killed, measured(fill, {}), { kernel: [] })).chosen).toContain(
      'mine(float*) is the costliest',
    );
    rmSync(join(workspace.app, 'kernloop.json'));
    const error = await failure(declareOf(killed, unmeasured, { kernel: [] }));
    expect([error.code, error.what]).toEqual([
      'APP_FAILED',
      'program failed before the costliest of its kernels was known: ./program was killed by SIGSEGV',
    ]);
    expect(error.hint).toMatch(/; name one that it launched: -k mine$/);
    expect(existsSync(join(workspace.app, 'kernloop.json'))).toBe(false);
  });

  it.each<[string, string[], object, string]>([
    ['that is asked for', ['mine'], measured(fill), 'before it launched a kernel that matches "mine"'],
    ['of its own', [], measured(fill), 'before it launched a kernel'],
  ])('are none of a program that was killed before it launched one %s', async (_case, kernel, summary, before) => {
    const error = await failure(declareOf(killed, summary, { kernel }));
    expect([error.code, error.what]).toEqual([
      'APP_FAILED',
      `program failed ${before}: ./program was killed by SIGSEGV`,
    ]);
    // The name may be mistyped all the same.
    expect(error.hint.includes('launched:\n  __amd_rocclr_fill (1 launch)')).toBe(kernel.length > 0);
    expect(existsSync(join(workspace.app, 'kernloop.json'))).toBe(false);
  });

  it.each<[string, FakeEnd, object, object[], string]>([
    ['fails before it launches', 3, { ...launched, dispatches: 0, kernels: [], kernel_profile: [] }, [], 'APP_FAILED'],
    ['is ended by the time limit', { ...killed, timedOut: true }, launched, [], 'APP_FAILED'],
    ['faults', killed, launched, [{ event: 'note', code: 'DEVICE_FAULT', text: 'misaligned' }], 'DEVICE_FAULT'],
    ['faults and goes on', 0, launched, [{ event: 'note', code: 'DEVICE_FAULT', text: 'misaligned' }], 'DEVICE_FAULT'],
  ])('are not declared if it %s', async (_case, end, summary, notes, code) => {
    expect((await failure(declareOf(end, summary, { notes }))).code).toBe(code);
    expect(existsSync(join(workspace.app, 'kernloop.json'))).toBe(false);
  });

  it('are those that a program launched before another kernel of it faulted', async () => {
    const faulted = (symbol: string) => [
      { event: 'note', code: 'DEVICE_FAULT', text: `misaligned access in kernel ${symbol} at pc 0x5000` },
    ];
    for (const end of [0, killed]) {
      const { kernels, warned } = await declareOf(end, launched, { notes: faulted('_Z5otherPf') });
      expect(kernels).toEqual(['mine']);
      expect(warned).toMatch(/failed after it launched mine\(float\*\): .*faulted.*; extracting goes on/);
      rmSync(join(workspace.app, 'kernloop.json'));
    }
    const error = await failure(declareOf(0, launched, { notes: faulted(row.symbol) }));
    expect(error.code).toBe('DEVICE_FAULT');
  });

  /** `meanwhile` is what another command writes between the run of the program and the lock. */
  const declareWhile = (meanwhile: object): { done: Promise<unknown>; deps: FakeDeps } => {
    const summary = { dispatches: 1, kernels: [], kernel_profile: [row] };
    const deps = fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': fakeRecorder({ play: () => undefined, summary }),
        sh: (call) => {
          workspace.write('app/kernloop.json', meanwhile);
          return fakeLock(call);
        },
      },
      workspace.native,
    );
    const options = { app: workspace.app, command: ['./program'], kernel: ['mine'], build: false };
    return { done: declareCommand(extractOptionsSchema.parse(options), deps), deps };
  };
  const other = { name: 'other', match: '^other' };

  it.each([[true], [false]])('keep the entry that another command adds meanwhile (declared before: %j)', async (is) => {
    const app = { name: 'program', command: ['./program'], device: 'softgpu' };
    if (is) workspace.write('app/kernloop.json', { ...app, kernels: [] });
    await declareWhile({ ...app, kernels: [other] }).done;
    expect(openApp(workspace.app).config.kernels.map(({ name }) => name)).toEqual(['other', 'mine']);
  });

  it('are refused if another command declares another program there meanwhile', async () => {
    const { done } = declareWhile({ name: 'else', command: ['./else'], kernels: [other] });
    expect((await failure(done)).code).toBe('APP_CONFLICT');
    expect(workspace.read('app/kernloop.json')).not.toContain('mine');
  });
});
