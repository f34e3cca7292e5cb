import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { differed, difference, fakeRecorder, fakeReplay, flag, passed, type Play } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { capture } from './capture';
import { captureOptionsSchema } from './options';
import type { KernloopError } from '../support/error';
import type { RecorderSelection } from '../recorder/recorder-config';

/** Selections of several dispatches: the requests of each run of the app, and what capture makes of the results. */
describe('captures of several dispatches', () => {
  let workspace: TestWorkspace;
  const kernels = [
    { name: 'saxpy(float*, float)', dispatches: 5 },
    { name: 'reduce(float*)', dispatches: 2 },
  ];

  beforeEach(() => {
    workspace = new TestWorkspace({
      kernels: [
        { name: 'saxpy', match: '^saxpy\\(' },
        { name: 'reduce', match: 'reduce' },
      ],
    });
  });
  afterEach(() => workspace.dispose());

  /** Requests of each run. */
  let runs: RecorderSelection[][];
  function deps(play: Play, replay = fakeReplay(), summaries: object[] = []): FakeDeps {
    runs = [];
    const recorder: typeof fakeRecorderOf = fakeRecorderOf;
    return fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': (call) => recorder(play, summaries[runs.length] ?? { kernels })(call),
        'kernloop-replay': replay,
      },
      workspace.native,
    );
  }
  function fakeRecorderOf(play: Play, summary: object): ReturnType<typeof fakeRecorder> {
    return fakeRecorder({
      summary: { dispatches: 7, ...summary },
      play: (config, print, captureOne) => {
        runs.push(config.selections);
        play(config, print, captureOne);
      },
    });
  }
  const inRanges: Play = (config, _print, captureOne) => {
    for (const { id, ordinals, limit } of config.selections) {
      for (const [first, last] of limit > 0 ? ordinals : []) {
        for (let ordinal = first; ordinal <= Math.min(last ?? 5, 5); ordinal += 1) captureOne(id, ordinal);
      }
    }
  };
  const run = (options: object, fake: FakeDeps) =>
    capture(captureOptionsSchema.parse({ app: workspace.app, kernel: ['saxpy'], ...options }), fake);
  const folder = (...parts: string[]) => workspace.path('kernels/app/saxpy', ...parts);

  it('captures ranges, the first into the reproducer and the others beside it', async () => {
    const { captures } = await run({ dispatch: '2,4-5' }, deps(inRanges));
    expect(captures.map(({ ordinal, output }) => [ordinal, output])).toEqual([
      [2, folder('capture')],
      [4, folder('captures/4')],
      [5, folder('captures/5')],
    ]);
    expect(runs[0]).toMatchObject([
      {
        ordinals: [
          [2, 2],
          [4, 5],
        ],
        limit: 16,
        outputs: folder('captures'),
      },
    ]);
    expect(readdirSync(folder('captures')).sort()).toEqual(['4', '5']);
    expect(existsSync(folder('capture/capture.json'))).toBe(true);
  });

  it('checks each by itself, and keeps the others where one does not replay', async () => {
    const replay = fakeReplay((args) =>
      (flag(args, '--capture') ?? '').endsWith('/2') ? [difference, differed] : [passed],
    );
    const error = await failure(run({ dispatch: '2-4', scope: 'all' }, deps(inRanges, replay)));
    expect(error).toMatchObject({ code: 'SELFCHECK_FAILED' });
    expect(error.what).toMatch(
      /saxpy, dispatch 2: [^]*captured nevertheless: saxpy \(dispatch 3\), saxpy \(dispatch 4\)/,
    );
    expect(readdirSync(folder('captures')).sort()).toEqual(['2', '4']);
  });

  it('says which came where a range runs off the end, and keeps those', async () => {
    const error = await failure(run({ dispatch: '4-9' }, deps(inRanges)));
    expect(error).toMatchObject({ code: 'NO_MATCH', exitCode: 2 });
    expect(error.what).toContain('dispatch 6-9 was asked for, but only 5 matched');
    expect(error.what).toContain('captured nevertheless: saxpy (dispatch 4), saxpy (dispatch 5)');
    expect(error.hint).toContain('use numbers from 1 to 5');
    expect(error.hint).toContain('saxpy(float*, float) (5 dispatches)');
  });

  describe('of a selection that matches several kernels', () => {
    const shapes = [
      { name: 'saxpy(float*, float)', dispatches: 5 },
      { name: 'void ns::saxpy<double>(double*)', symbol: '_ZN2ns5saxpyIdEEvPd', dispatches: 1 },
      { name: 'reduce(float*)', dispatches: 2 },
    ];
    const refused = async (options: object, launched: object[] = shapes): Promise<KernloopError> =>
      failure(run(options, deps(inRanges, fakeReplay(), [{ kernels: launched }])));
    const captured = async (options: object, launched: object[] = shapes): Promise<number> =>
      (await run(options, deps(inRanges, fakeReplay(), [{ kernels: launched }]))).captures.length;

    it.each([{}, { dryRun: true }, { output: true }])(
      'is refused, with an expression for each (%j)',
      async (options) => {
        const planned: Play = (config, print, captureOne) => {
          if (!config.dry_run) return inRanges(config, print, captureOne);
          const geometry = { grid_blocks: [1, 1, 1], block_threads: [64, 1, 1] };
          const plan = { regions: [], scope_bytes: 0, elapsed_ms: 1 };
          const taken = { id: 'saxpy', ordinal: 1, kernel: 'saxpy(float*, float)', geometry, plan };
          print({ event: 'planned', bytes_raw: 0, bytes_stored: 0, bytes_tracked: 0, regions: 0, ...taken });
        };
        const fake = deps(planned, fakeReplay(), [{ kernels: shapes }]);
        const place = workspace.path('elsewhere/capture');
        const error = await failure(
          run({ match: 'saxpy', ...options, ...('output' in options ? { output: place } : {}) }, fake),
        );
        expect([error.code, error.exitCode]).toEqual(['USAGE', 2]);
        expect(error.what).toBe(
          "saxpy: 2 kernels match /saxpy/, and which one is launched first is the app's choice. None was captured:\n" +
            '  saxpy(float*, float) (5 dispatches)\n' +
            '  void ns::saxpy<double>(double*) (1 dispatch)',
        );
        expect(error.hint).toBe("give the whole of the one you mean: --match '^saxpy\\(float\\*, float\\)$'");
        expect([existsSync(place), existsSync(workspace.path('kernels/app/saxpy/capture'))]).toEqual([false, false]);
      },
    );

    it('leaves a checked capture from before as it was', async () => {
      await captured({});
      const before = workspace.read('kernels/app/saxpy/capture/selfcheck.json');
      await refused({ match: 'saxpy' });
      expect(workspace.read('kernels/app/saxpy/capture/selfcheck.json')).toBe(before);
    });

    describe('where kernloop.json has the expression', () => {
      const declared = (match: string): string =>
        workspace.write('app/kernloop.json', {
          name: 'app',
          command: ['./program'],
          kernels: [{ name: 'saxpy', match }],
        });

      it('is refused and leaves no capture; what it offers for the file works there', async () => {
        declared('saxpy');
        const { hint } = await refused({});
        expect(existsSync(workspace.path('kernels'))).toBe(false);
        const [offered = ''] = /"match": (".*?") or /.exec(hint)?.slice(1) ?? [];
        declared(JSON.parse(offered) as string);
        expect(await captured({})).toBe(1);
      });

      it('is refused in the place of the project by any --match, and taken elsewhere', async () => {
        declared('^saxpy\\(');
        await captured({});
        declared('saxpy');
        const error = await refused({ match: '^saxpy\\(' });
        expect(error.what).toContain(
          'the expression of its entry (/saxpy/) fits 2 kernels of app, and a project is of one',
        );
        expect(error.hint).toMatch(
          /or put this capture elsewhere: `kernloop capture --kernel saxpy --match .* --output FOLDER`/,
        );
        expect(existsSync(workspace.path('kernels/app/saxpy/capture/selfcheck.json'))).toBe(true);
        expect(await captured({ match: '^saxpy\\(', output: workspace.path('elsewhere/capture') })).toBe(1);
      });
    });

    it('is captured where the user says which launch, and of which kernel that is', async () => {
      for (const options of [{ dispatch: '2' }, { ordinal: 3 }, { dispatch: 'last' }, { after: 'reduce' }]) {
        // The fake app launches five that match.
        const launched = { kernels: [{ ...shapes[0], dispatches: 4 }, ...shapes.slice(1)] };
        const fake = deps(inRanges, fakeReplay(), [launched, launched]);
        expect(
          (await run({ match: 'saxpy', output: workspace.path('out/capture'), ...options }, fake)).captures,
        ).toHaveLength(1);
        expect(fake.said.info).toContain('saxpy: captured saxpy(float*, float), of 2 kernels that match /saxpy/');
      }
    });

    it('is not captured by its place into the project of another kernel', async () => {
      workspace.write('kernels/app/saxpy/kernel.json', { demangled: 'saxpy(double*, double)' });
      const fake = deps(inRanges, fakeReplay(), [{ kernels: shapes }, { kernels: shapes }]);
      const error = await failure(run({ kernel: ['saxpy'], ordinal: 2 }, fake));
      expect(error.what).toContain(
        'that launch is of saxpy(float*, float), and the project of saxpy is of saxpy(double*, double)',
      );
      expect(error.hint).toContain('kernloop declare NAME --match ');
      expect(existsSync(workspace.path('kernels/app/saxpy/capture'))).toBe(false);
      expect(
        (await run({ kernel: ['saxpy'], ordinal: 2, output: workspace.path('out/capture') }, fake)).captures,
      ).toHaveLength(1);
    });

    it('is not captured by kernloop.json into the project of another kernel that the app launches, but of one that it did before', async () => {
      const project = (demangled: string) => workspace.write('kernels/app/saxpy/kernel.json', { demangled });
      workspace.write('app/kernloop.json', {
        name: 'app',
        command: ['./program'],
        kernels: [{ name: 'saxpy', match: 'saxpy', ordinal: 2 }],
      });
      const launched = { kernels: [{ ...shapes[0], dispatches: 4 }, ...shapes.slice(1)] };
      const of = () => deps(inRanges, fakeReplay(), [launched, launched]);
      project(shapes[1]?.name ?? '');
      const error = await failure(run({ kernel: ['saxpy'] }, of()));
      expect(error.what).toMatch(
        /that launch is of saxpy\(float\*, float\), and the project .*, which app launches, too; nothing/,
      );
      expect(error.hint).toContain('kernloop extract saxpy --reset');
      // `declare` refuses what another entry means.
      expect(error.hint).toMatch(
        /^write "match": ".*" into the entry of saxpy in kernloop.json again, then declare that/,
      );
      project('saxpy(double*)');
      expect((await run({ kernel: ['saxpy'] }, of())).captures).toHaveLength(1);
    });

    it('counts a kernel that matches by its mangled name', async () => {
      expect((await refused({ match: 'saxpy\\(float|5saxpyI' })).what).toContain('ns::saxpy<double>');
    });

    it('is captured where one kernel matches, or where one of each is asked for', async () => {
      expect(await captured({})).toBe(1);
      expect(await captured({ match: 'saxpy', wholeName: true }, [...shapes.slice(0, 1), ...shapes.slice(2)])).toBe(1);
      expect(await captured({ match: 'saxpy', each: 'kernel' })).toBe(5);
    });

    it('holds the whole name against the expression where that is asked for', async () => {
      const longer = [
        { name: 'saxpy(float*, float)', dispatches: 5 },
        { name: 'saxpy_tail(float*)', dispatches: 1 },
      ];
      expect(await captured({ match: 'saxpy', wholeName: true }, longer)).toBe(1);
      expect((await refused({ match: 'saxpy' }, longer)).what).toContain('saxpy_tail');
    });
  });

  it('asks for no end that a range does not have', async () => {
    expect((await run({ dispatch: '4-' }, deps(inRanges))).captures).toHaveLength(2);
  });

  it('removes what an earlier selection left, and nothing that is no capture', async () => {
    await run({ dispatch: '1-3' }, deps(inRanges));
    mkdirSync(folder('captures/77'));
    writeFileSync(folder('captures/notes.md'), 'mine');
    await run({ dispatch: '2-3' }, deps(inRanges));
    expect(readdirSync(folder('captures')).sort()).toEqual(['3', '77', 'notes.md']);
    await run({ dispatch: '1' }, deps(inRanges));
    expect(readdirSync(folder('captures')).sort()).toEqual(['77', 'notes.md']);
  });

  it('keeps what the user has put beside a capture that is replaced or removed', async () => {
    await run({ dispatch: '1-3' }, deps(inRanges));
    for (const place of ['capture', 'captures/2', 'captures/3']) {
      writeFileSync(folder(place, 'notes.md'), place);
      mkdirSync(folder(place, 'mine'));
      writeFileSync(folder(place, 'mine', 'data'), place);
    }
    await run({ dispatch: '1-2' }, deps(inRanges));
    expect(readdirSync(folder('capture')).sort()).toEqual(['capture.json', 'mine', 'notes.md', 'selfcheck.json']);
    expect(readFileSync(folder('capture', 'mine', 'data'), 'utf8')).toBe('capture');
    expect(readdirSync(folder('captures/3')).sort()).toEqual(['mine', 'notes.md']);
    expect(readFileSync(folder('captures/3/notes.md'), 'utf8')).toBe('captures/3');
    expect(readdirSync(folder()).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('fills a folder of the user, which stays the same one', async () => {
    mkdirSync(folder('capture', 'mine'), { recursive: true });
    const { ino } = statSync(folder('capture'));
    await run({ dispatch: '1-2' }, deps(inRanges));
    expect(readdirSync(folder('capture')).sort()).toEqual(['capture.json', 'mine', 'selfcheck.json']);
    expect(statSync(folder('capture')).ino).toBe(ino);
    expect(readdirSync(folder('captures'))).toEqual(['2']);
  });

  it('takes the first of every geometry from all dispatches', async () => {
    const { captures } = await run(
      { each: 'geometry', limit: 3 },
      deps((_config, _print, one) => [1, 3].forEach((n) => one('saxpy', n))),
    );
    expect(runs[0]).toMatchObject([{ each: 'geometry', ordinals: [[1, null]], limit: 3 }]);
    expect(captures.map(({ ordinal }) => ordinal)).toEqual([1, 3]);
  });

  it('says so when the limit ended it', async () => {
    const fake = deps(inRanges);
    await run({ dispatch: '1-', limit: 5 }, fake);
    expect(fake.said.info.join('\n')).toContain('5 captured, which is the limit');
  });

  it('refuses more dispatches than the limit before anything runs', async () => {
    const fake = deps(inRanges);
    const error = await failure(run({ dispatch: '1-17' }, fake));
    expect(error).toMatchObject({ code: 'USAGE' });
    expect(error.hint).toContain('--limit to 17');
    expect(fake.calls).toEqual([]);
  });

  it('finds the last dispatches in one run and captures them in the next', async () => {
    const { captures } = await run({ dispatch: 'last:2' }, deps(inRanges));
    expect(runs).toMatchObject([[{ limit: 0, to_end: true }], [{ ordinals: [[4, 5]], to_end: true }]]);
    expect(captures.map(({ ordinal }) => ordinal)).toEqual([4, 5]);
  });

  it('captures what needs no counting in the run that counts', async () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [
        { name: 'saxpy', match: '^saxpy\\(', dispatch: 'last' },
        { name: 'reduce', match: 'reduce' },
      ],
    });
    const { captures } = await run({ kernel: [] }, deps(inRanges));
    expect(runs.map((selections) => selections.map(({ id }) => id))).toEqual([['saxpy', 'reduce'], ['saxpy']]);
    expect(captures.map(({ name, ordinal }) => [name, ordinal])).toEqual([
      ['saxpy', 5],
      ['reduce', 1],
    ]);
  });

  it('takes no dispatch for the last that was not', async () => {
    const summaries = [{ kernels }, { kernels: [{ name: 'saxpy(float*, float)', dispatches: 6 }] }];
    const error = await failure(run({ dispatch: 'last' }, deps(inRanges, fakeReplay(), summaries)));
    expect(error).toMatchObject({ code: 'RUNS_DIFFER' });
    expect(error.what).toContain('5 matching dispatches in one run and 6 in the next');
  });

  it('takes no dispatch for the last where the agent could not see the end', async () => {
    const play: Play = (config, print, captureOne) => {
      print({ event: 'note', code: 'DESCRIPTORS_CLOSED', text: 'the program closed the descriptors' });
      inRanges(config, print, captureOne);
    };
    expect(await failure(run({ dispatch: 'last' }, deps(play)))).toMatchObject({ code: 'DESCRIPTORS_CLOSED' });
  });

  it('says how many there were where the last so many are more', async () => {
    const error = await failure(run({ dispatch: 'last:6' }, deps(inRanges)));
    expect(error).toMatchObject({ code: 'NO_MATCH' });
    expect(error.what).toContain('only 5 matched');
    expect(runs).toHaveLength(1);
  });

  it('runs once more for a dispatch that two selections wanted', async () => {
    const play: Play = (config, print, captureOne) => {
      captureOne(config.selections[0]?.id ?? '');
      if (runs.length === 1)
        print({ event: 'refused', id: 'reduce', ordinal: 1, code: 'SELECTION_CONFLICT', reason: 'taken' });
    };
    const { captures } = await run({ kernel: ['saxpy', 'reduce'] }, deps(play));
    expect(runs.map((selections) => selections.map(({ id }) => id))).toEqual([['saxpy', 'reduce'], ['reduce']]);
    expect(captures.map(({ name }) => name)).toEqual(['saxpy', 'reduce']);
  });

  it('takes those whose scope was too small again, by number and with scope all', async () => {
    const play: Play = (_config, print, captureOne) => {
      if (runs.length === 1) print({ event: 'scope_violation', id: 'saxpy', ordinal: 2 });
      [2, 3].forEach((ordinal) => {
        if (runs.length === 2 || ordinal === 3) captureOne('saxpy', ordinal);
      });
    };
    const { captures } = await run({ dispatch: '2-3' }, deps(play));
    expect(runs[1]).toMatchObject([{ ordinals: [[2, 2]], scope: 'all' }]);
    expect(captures.map(({ ordinal, scope }) => [ordinal, scope])).toEqual(expect.arrayContaining([[2, 'all']]));
  });

  it('lets a later dispatch of the same geometry stand for one whose scope was too small', async () => {
    const geometry = { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] };
    const violated = (grid: number[]) => ({
      event: 'scope_violation',
      id: 'saxpy',
      ordinal: 1,
      geometry: { ...geometry, grid_blocks: grid },
    });
    const same: Play = (_config, print, captureOne) => {
      print(violated([4, 1, 1]));
      captureOne('saxpy', 2);
    };
    await run({ each: 'geometry' }, deps(same));
    expect(runs).toHaveLength(1);
    const other: Play = (_config, print, captureOne) => {
      if (runs.length === 1) print(violated([8, 1, 1]));
      captureOne('saxpy', runs.length === 1 ? 2 : 1);
    };
    await run({ each: 'geometry' }, deps(other));
    expect(runs[1]).toMatchObject([{ ordinals: [[1, 1]], scope: 'all', each: 'dispatch' }]);
  });

  it('tells of each that was refused', async () => {
    const play: Play = (_config, print, captureOne) => {
      captureOne('saxpy', 1);
      print({ event: 'refused', id: 'saxpy', ordinal: 2, code: 'BYTE_BUDGET', reason: 'too much', hint: 'less' });
      print({ event: 'refused', id: 'saxpy', ordinal: 3, code: 'BYTE_BUDGET', reason: 'too much', hint: 'less' });
    };
    const error = await failure(run({ dispatch: '1-3' }, deps(play)));
    expect(error.what).toMatch(/dispatch 2 of saxpy[^]*also: dispatch 3 of saxpy[^]*captured nevertheless: saxpy/);
    expect(existsSync(folder('capture/capture.json'))).toBe(true);
  });

  const counted = (matches: number) => ({ kernels, selections: [{ id: 'saxpy', matches }] });
  const nothing: Play = () => undefined;

  it.each([
    ['of another name', { after: 'redduce' }, 'which there was none of', 'did you mean reduce?'],
    [
      'that was launched too seldom',
      { after: 'reduce', afterCount: 3 },
      'came behind 3 that match /reduce/, of which there were 2',
      '--after-count 1 to 2',
    ],
    ['that came later', { after: 'reduce' }, 'none of the 5 dispatches that match', 'launched earlier'],
  ])('explains a gate %s', async (_what, options, what, hint) => {
    const error = await failure(run(options, deps(nothing, fakeReplay(), [counted(0)])));
    expect(error).toMatchObject({ code: 'NO_MATCH' });
    expect(error.what).toContain(what);
    expect(error.hint).toContain(hint);
  });

  it('passes the gate on', async () => {
    await run({ after: '^reduce', afterCount: 2, wholeName: true }, deps(inRanges));
    expect(runs[0]).toMatchObject([{ after: { match: '^reduce', count: 2 }, whole: true }]);
  });

  it.each([
    ['dispatches that are none', { dispatch: '5-3' }],
    ['a number and a list', { dispatch: '2', ordinal: 2 }],
    ['look-behind, which the recorder does not know', { match: '(?<=x)y' }],
    ['a back-reference, which the recorder does not know', { match: '(a|b)\\1' }],
    ['a POSIX class, which means something else here', { match: '[[:alpha:]]' }],
    ['a gate that is no expression', { after: '(' }],
    ['an expression that is longer than the recorder takes', { match: 'x'.repeat(20_000) }],
    ['a gate of more groups than the recorder takes', { after: `${'('.repeat(101)}x${')'.repeat(101)}` }],
  ])('rejects %s', async (_what, options) => {
    const fake = deps(inRanges);
    expect(await failure(run(options, fake))).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect(fake.calls).toEqual([]);
  });

  it('puts further captures of --output beside it', async () => {
    const output = workspace.path('out/here');
    const { captures } = await run({ dispatch: '1-2', output }, deps(inRanges));
    expect(captures.map((one) => one.output)).toEqual([output, join(workspace.path('out/heres'), '2')]);
  });
});
