import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import {
  difference,
  differed,
  fakeRecorder,
  fakeReplay,
  flag,
  passed,
  type Play,
  type RecorderScript,
} from '../testing/fake-programs';
import { sha256 } from '../support/files';
import type { Progress } from '../support/report';
import { fileInput } from '../support/stdin';
import { captureJson, someDigest, TestWorkspace } from '../testing/workspace';
import { keepCapture } from '../archive/kept-capture';
import { capture, captureUnlessKept } from './capture';
import { captureOptionsSchema } from './options';

describe('capture', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const options = (overrides: object = {}) => captureOptionsSchema.parse({ app: workspace.app, ...overrides });

  function deps(programs: { recorder?: RecorderScript; app?: FakeProgram; replay?: FakeProgram } = {}): FakeDeps {
    return fakeDeps(
      {
        ldd: () => 1,
        program: programs.app ?? (() => 0),
        'kernloop-recorder': fakeRecorder(programs.recorder),
        'kernloop-replay': programs.replay ?? fakeReplay(),
      },
      workspace.native,
    );
  }

  it('captures into the reproducer and records the verdict of the self-check', async () => {
    const output = workspace.path('kernels/app/saxpy/capture');
    const result = await capture(options(), deps());
    expect(result).toMatchObject({
      exit_code: 0,
      captures: [{ name: 'saxpy', output, selfcheck: { verdict: 'verified' } }],
    });
    expect(JSON.parse(readFileSync(join(output, 'selfcheck.json'), 'utf8'))).toMatchObject({
      schema: 'kernloop.selfcheck/1',
      verdict: 'verified',
      poison_patterns: ['0xa5', '0x5a'],
      replays: 5,
    });
  });

  describe('from elsewhere, in the place of a declared kernel', () => {
    let place = '';
    beforeEach(() => {
      workspace.dispose();
      workspace = new TestWorkspace({ kernels: ['saxpy', 'sum'].map((name) => ({ name, match: `^${name}\\(` })) });
      place = workspace.path('kernels/app/saxpy/capture');
      workspace.write(`${place}/capture.json`, captureJson());
      keepCapture(place, 'theirs.klpack');
    });
    const appRuns = (fake: FakeDeps): number => fake.calls.filter(({ program }) => program === 'program').length;
    const text = (): string => readFileSync(join(place, 'capture.json'), 'utf8');

    it('is not replaced by one of the app, which the error names', async () => {
      const [before, fake] = [text(), deps()];
      const error = await failure(capture(options({ kernel: ['saxpy'] }), fake));
      expect([error.code, error.what]).toEqual(['USAGE', expect.stringContaining('is from theirs.klpack and kept')]);
      expect([text(), appRuns(fake)]).toEqual([before, 0]);
      await capture(options({ kernel: ['saxpy'], output: workspace.path('other') }), deps());
      expect(existsSync(workspace.path('other/capture.json'))).toBe(true);
    });

    it('stays while the other kernels of the app are captured', async () => {
      const [before, fake] = [text(), deps()];
      const { captures } = await capture(options(), fake);
      expect(captures.map(({ name }) => name)).toEqual(['sum']);
      expect(fake.said.result.join('\n')).toMatch(/`kernloop extract saxpy --app \S+ --recapture` replaces it/);
      expect(text()).toBe(before);
    });

    it('is the result of its task, which runs nothing', async () => {
      const [before, fake] = [text(), deps()];
      expect(await captureUnlessKept(options({ kernel: ['saxpy'] }), fake)).toBe(true);
      expect([text(), appRuns(fake)]).toEqual([before, 0]);
      expect(await captureUnlessKept(options({ kernel: ['sum'] }), fake)).toBe(true);
      expect(appRuns(fake)).toBe(1);
    });

    it('is missed where kernloop.json names its origin, and never made of the app', async () => {
      const entry = { name: 'saxpy', match: '^saxpy\\(', from: 'theirs.klpack' };
      workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels: [entry] });
      rmSync(join(place, 'kept.json'));
      const fake = deps();
      expect(await captureUnlessKept(options({ kernel: ['saxpy'] }), fake)).toBe(true);
      expect(fake.said.result.join()).toMatch(/is from theirs.klpack and kept; remove "from"/);
      rmSync(place, { recursive: true });
      for (const work of [captureUnlessKept, capture]) {
        const error = await failure(work(options({ kernel: ['saxpy'] }), fake));
        expect([error.code, error.what]).toEqual([
          'CAPTURE_MISSING',
          expect.stringContaining('saxpy: its capture is from theirs.klpack, and is not in'),
        ]);
        expect(error.hint).toMatch(
          /^theirs.klpack is not here either: put another copy of that capture in \S+capture; or/,
        );
      }
      expect([existsSync(place), appRuns(fake)]).toEqual([false, 0]);
      workspace.write('theirs.klpack', 'packed');
      const packed = await failure(captureUnlessKept(options({ kernel: ['saxpy'] }), fake));
      expect(packed.hint).toMatch(/^put it there \(`kernloop unpack theirs.klpack --to \S+`/);
      workspace.write('downloads/theirs/capture.json', captureJson());
      const folder = { ...entry, from: 'downloads/theirs' };
      workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels: [folder] });
      const { hint } = await failure(captureUnlessKept(options({ kernel: ['saxpy'] }), fake));
      expect(hint).toMatch(/^put it there \(`cp -r \S+downloads\/theirs \S+saxpy\/capture`\)/);
    });

    it('is not replaced by that of another kernel, nor is a project, and is named where the expression fits both', async () => {
      const output = workspace.path('elsewhere/capture');
      const of = (name: string) => captureJson({ kernel: { name, symbol: name, code_object: someDigest } });
      const taking = (there: object, file = 'capture.json') => {
        rmSync(output, { recursive: true, force: true });
        workspace.write(`elsewhere/capture/${file}`, there);
        const fake = deps();
        return { fake, done: capture(options({ kernel: ['saxpy'], output }), fake) };
      };
      const other = taking(of('other(int*)'));
      expect(await failure(other.done)).toMatchObject({
        code: 'TARGET_EXISTS',
        what: expect.stringMatching(
          /elsewhere\/capture holds a capture of other\(int\*\), which .* does not match/,
        ) as string,
      });
      expect([appRuns(other.fake), existsSync(join(output, 'capture.json'))]).toEqual([0, true]);
      expect((await failure(taking({}, 'kernel.json').done)).what).toContain('is the folder of a reproducer');
      const overload = taking(of('saxpy(double*)'));
      await overload.done;
      expect(overload.fake.said.warn.join()).toMatch(
        /held a capture of saxpy\(double\*\): that of saxpy.* replaced it/,
      );
      const same = taking(of('saxpy(float*, float)'));
      await same.done;
      expect(same.fake.said.warn.join()).not.toContain('held a capture');
    });

    it('is kept no longer once another capture is there', async () => {
      workspace.write(`${place}/capture.json`, captureJson({ dispatch: { ordinal: 2, index: 1, queue: 0 } }));
      await capture(options({ kernel: ['saxpy'] }), deps());
      expect(readdirSync(place)).not.toContain('kept.json');
    });
  });

  it('starts the app inside the agent, on the software GPU, once the recorder listens', async () => {
    const fake = deps();
    await capture(options(), fake);
    const order = fake.calls.map(({ program }) => program).filter((name) => name !== 'ldd');
    expect(order.slice(0, 2)).toEqual(['kernloop-recorder', 'program']);
    const socket = flag(fake.calls.find(({ program }) => program === 'kernloop-recorder')?.args ?? [], '--socket');
    expect(fake.calls.find(({ program }) => program === 'program')?.env).toMatchObject({
      HSA_TOOLS_LIB: workspace.native.agentHsa,
      KERNLOOP_RECORDER_SOCKET: socket,
      LD_LIBRARY_PATH: workspace.native.softgpuDir,
      KERNLOOP_SOFTGPU: 'gfx90a',
      LD_PRELOAD: 'libkernloop-hip.so',
    });
  });

  it('joins its libraries with those that the shell and kernloop.json name', async () => {
    const { softgpuDir } = workspace.native;
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      env: { LD_LIBRARY_PATH: '/of/the/app' },
      kernels: [{ name: 'saxpy', match: '^saxpy\\(' }],
    });
    const fake = { ...deps(), env: { LD_PRELOAD: '/of/the/shell.so' } };
    await capture(options(), fake);
    const env = fake.calls.find(({ program }) => program === 'program')?.env;
    expect(env?.['LD_LIBRARY_PATH']).toBe(`${softgpuDir}:/of/the/app`);
    expect(env?.['LD_PRELOAD']).toBe('/of/the/shell.so:libkernloop-hip.so');
  });

  it('bounds the memory of a snapshot on its way to the disk', async () => {
    const limits: (number | undefined)[] = [];
    const play: Play = (config, _print, captureOne) => {
      limits.push(config.pipeline_bytes);
      captureOne('saxpy');
    };
    await capture(options(), deps({ recorder: { play } }));
    await capture(options({ memoryBytes: 32 << 20 }), deps({ recorder: { play } }));
    expect(limits).toEqual([256 << 20, 32 << 20]);
  });

  it('captures several kernels in one run of the app', async () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [
        { name: 'a', match: 'a' },
        { name: 'b', match: 'b', ordinal: 3 },
      ],
    });
    const fake = deps();
    const { captures } = await capture(options(), fake);
    expect(captures.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(fake.calls.filter(({ program }) => program === 'program')).toHaveLength(1);
  });

  it('replays under two poison patterns with one wave order, then under other orders', async () => {
    const fake = deps();
    await capture(options(), fake);
    const replays = fake.calls.filter(({ program }) => program === 'kernloop-replay').map(({ args }) => args);
    expect(replays.map((args) => [flag(args, '--poison'), flag(args, '--seed'), flag(args, '--threads')])).toEqual([
      ['0xA5', '1', '1'],
      ['0x5A', '1', '1'],
      ['0xA5', '4', undefined],
      ['0xA5', '2', undefined],
      ['0xA5', '3', undefined],
    ]);
    expect(replays.map((args) => flag(args, '--adverse') !== undefined)).toEqual([false, false, true, false, false]);
    expect(replays.every((args) => args.includes('--compare'))).toBe(true);
  });

  it('passes the output of the app through', async () => {
    const fake = deps({
      app: ({ print }) => {
        print('hello from the app');
        return 0;
      },
    });
    await capture(options(), fake);
    expect(fake.said.output.join('')).toContain('hello from the app');
  });

  describe('what the app reads from stdin', () => {
    const inputs = (): { programs: { app: FakeProgram }; given: unknown[] } => {
      const given: unknown[] = [];
      return { programs: { app: ({ options: { input } }) => (given.push(input), 0) }, given };
    };

    it('is what kernloop itself was given', async () => {
      const { programs, given } = inputs();
      const input = fileInput('/some/file');
      await capture(options(), { ...deps(programs), input });
      expect(given).toEqual([input]);
    });

    it('is the file that kernloop.json names, before anything else, and part of its identity', async () => {
      const config: unknown = JSON.parse(readFileSync(join(workspace.app, 'kernloop.json'), 'utf8'));
      workspace.write('app/kernloop.json', { ...(config as object), stdin: 'data/in.txt' });
      const missing = deps();
      const error = await failure(capture(options(), missing));
      expect([error.code, error.what, missing.calls]).toEqual([
        'FILE_UNREADABLE',
        expect.stringContaining('data/in.txt'),
        [],
      ]);
      workspace.write('app/data/in.txt', 'numbers');
      const { programs, given } = inputs();
      let files: unknown;
      const play: Play = (recorded, _print, captureOne) => {
        ({ files } = recorded.app);
        captureOne('saxpy');
      };
      await capture(options(), { ...deps({ ...programs, recorder: { play } }), input: fileInput('/other') });
      expect(given).toEqual([fileInput(workspace.path('app/data/in.txt'))]);
      expect(files).toContainEqual({ path: 'app/data/in.txt', sha256: sha256('numbers'), role: 'input' });
    });

    it('is named where the app read it, there was none, and the app did not come far', async () => {
      const reading: FakeProgram = ({ options: { input } }) => {
        if (input?.kind === 'file') expect(readFileSync(input.path, 'utf8')).toBe('');
        return 1;
      };
      const recorder = { play: () => undefined, summary: { processes: 0 } };
      const unread = { app: () => 1, recorder };
      expect((await failure(capture(options(), deps(unread)))).hint).not.toContain('stdin');
      const none = { app: reading, recorder };
      expect((await failure(capture(options(), deps(none)))).hint).toContain('its stdin was empty');
      const given = { ...deps(none), input: fileInput(workspace.write('in.txt', '')) };
      expect((await failure(capture(options(), given))).hint).not.toContain('stdin');
    });
  });

  it('says that runs differ where the second one, for a wider scope, launches nothing', async () => {
    let runs = 0;
    const recorder: FakeProgram = (call) => {
      runs += 1;
      const first = {
        play: (_config: unknown, _print: unknown, captureOne: (id: string) => void) => captureOne('saxpy'),
      };
      const second = { play: () => undefined, summary: { processes: 0, dispatches: 0, kernels: [] } };
      return fakeRecorder(runs === 1 ? first : second)(call);
    };
    const dependsOnPoison = fakeReplay((args) =>
      flag(args, '--poison') === '0x5A' ? [difference, differed] : [passed],
    );
    const fake = fakeDeps(
      { ldd: () => 1, program: () => 0, 'kernloop-recorder': recorder, 'kernloop-replay': dependsOnPoison },
      workspace.native,
    );
    const error = await failure(capture(options(), fake));
    expect([error.code, error.exitCode, runs]).toEqual(['RUNS_DIFFER', 2, 2]);
    expect(error.what).toContain('launched it in one run and not in the next');
  });

  it('runs the app once more with scope all when the result depends on poison', async () => {
    const scopes: string[] = [];
    const fake = deps({
      recorder: {
        play: (config, _print, captureOne) => {
          scopes.push(config.selections[0]?.scope ?? '');
          captureOne('saxpy');
        },
      },
      replay: fakeReplay((args) =>
        scopes.length === 1 && flag(args, '--poison') === '0x5A' ? [difference, differed] : [passed],
      ),
    });
    const result = await capture(options(), fake);
    expect(scopes).toEqual(['reachable', 'all']);
    expect(result.captures).toMatchObject([{ scope: 'all', selfcheck: { verdict: 'verified' } }]);
  });

  it('says that the kernel reads what it has not written when the result follows the pattern in scope all, too', async () => {
    const scopes: string[] = [];
    const fake = deps({
      recorder: {
        play: (config, _print, captureOne) => {
          scopes.push(config.selections[0]?.scope ?? '');
          captureOne('saxpy');
        },
      },
      replay: fakeReplay((args) => (flag(args, '--poison') === '0x5A' ? [difference, differed] : [passed])),
    });
    const error = await failure(capture(options(), fake));
    expect(scopes).toEqual(['reachable', 'all']);
    expect([error.code, error.what]).toEqual([
      'SELFCHECK_FAILED',
      expect.stringContaining('depends on LDS, private memory or registers that the kernel has not written'),
    ]);
    expect(error.what).not.toContain('outside the captured scope');
  });

  it('says of a kernel that allocates on the device that only HIP launches it, and names no option that capture lacks', async () => {
    const hint = 'a direct launch has no such service (hidden_heap_v1 is null); launch it with --launch hip, which has';
    const fault = { event: 'fault', kind: 'memory_access', kernel: 'saxpy', text: 'read at 0x18', hint };
    const fake = deps({
      recorder: { play: (_config, _print, captureOne) => captureOne('saxpy') },
      replay: fakeReplay(() => [fault, { event: 'result', verdict: 'fault' }]),
    });
    const error = await failure(capture(options(), fake));
    expect(error.what).toMatch(/read at 0x18; a direct launch has no such service \(hidden_heap_v1 is null\)$/);
    expect(error.hint).toMatch(/^a kernel that prints, allocates .*--no-self-check and `replay --launch hip`$/);
  });

  it('runs the app once more with scope all when the recorder saw the scope violated and nothing after it', async () => {
    const scopes: string[] = [];
    const play: Play = (config, print, captureOne) => {
      scopes.push(config.selections[0]?.scope ?? '');
      captureOne('saxpy');
      if (scopes.length === 1) print({ event: 'scope_violation', id: 'saxpy', regions: ['r1'] });
    };
    await capture(options(), deps({ recorder: { play } }));
    expect(scopes).toEqual(['reachable', 'all']);
  });

  it('does not run the app again when a later dispatch was captured after a violation', async () => {
    const fake = deps({
      recorder: {
        play: (_config, print, captureOne) => {
          print({ event: 'scope_violation', id: 'saxpy', regions: [] });
          captureOne('saxpy');
        },
      },
    });
    await capture(options(), fake);
    expect(fake.calls.filter(({ program }) => program === 'program')).toHaveLength(1);
  });

  it('records ranges that vary with the wave order, and checks them with fresh orders', async () => {
    const varying = { region: 'r0', offset: 0, dtype: 'f32', count: 1, min: [1], max: [1.5] };
    const replay = fakeReplay((args) => {
      if (flag(args, '--calibrate')) return [{ event: 'varying', ...varying }, passed];
      if (flag(args, '--known-varying')) return [passed];
      return flag(args, '--seed') === '3' ? [difference, differed] : [passed];
    });
    const { captures } = await capture(options(), deps({ replay }));
    expect(captures[0]?.selfcheck).toMatchObject({ verdict: 'nondeterministic', varying: [varying] });
  });

  it('fails the self-check when fresh orders leave the ranges that were recorded', async () => {
    const varying = { region: 'r0', offset: 0, dtype: 'f32', count: 1, min: [1], max: [1.5] };
    const replay = fakeReplay((args) => {
      if (flag(args, '--calibrate')) return [{ event: 'varying', ...varying }, passed];
      return flag(args, '--known-varying') || flag(args, '--seed') === '3' ? [difference, differed] : [passed];
    });
    const error = await failure(capture(options(), deps({ replay })));
    expect(error).toMatchObject({ code: 'SELFCHECK_FAILED', exitCode: 1 });
  });

  it('records what varies only in the order that shows races', async () => {
    const varying = { region: 'r0', offset: 0, dtype: 'u32', count: 1, min: [1], max: [3] };
    const replay = fakeReplay((args) => {
      if (flag(args, '--calibrate')) return [{ event: 'varying', ...varying }, passed];
      return flag(args, '--adverse') !== undefined ? [difference, differed] : [passed];
    });
    const fake = deps({ replay });
    const { captures } = await capture(options(), fake);
    expect(captures[0]?.selfcheck).toMatchObject({ verdict: 'nondeterministic', varying: [varying] });
    const calibration = fake.calls.find(({ args }) => args.includes('--calibrate'));
    expect(flag(calibration?.args ?? [], '--adverse')).toMatch(/^\d+$/);
  });

  it('takes a capture for verified whose waves only stop in the order that shows races', async () => {
    const stopped = { event: 'result', verdict: 'limit' };
    const replay = fakeReplay((args) => (flag(args, '--adverse') !== undefined ? [stopped] : [passed]));
    const { captures } = await capture(options(), deps({ replay }));
    expect(captures[0]?.selfcheck).toMatchObject({ verdict: 'verified' });
  });

  it('never calls a result nondeterministic that is the same in every replay but differs from the app', async () => {
    const replay = fakeReplay((args) => (flag(args, '--calibrate') ? [differed] : [difference, differed]));
    const error = await failure(capture(options(), deps({ replay })));
    expect(error).toMatchObject({ code: 'SELFCHECK_FAILED', exitCode: 1 });
    expect(error.what).toContain('differs from the app');
  });

  it('fails the self-check when the replays vary, but not around what the app computed', async () => {
    const varying = { region: 'r0', offset: 0, dtype: 'f32', count: 1, min: [1], max: [1.5] };
    const unexplained = { event: 'unexplained', region: 'r0', offset: 0, dtype: 'f32', post: 9, min: 1, max: 1.5 };
    const replay = fakeReplay((args) =>
      flag(args, '--calibrate') ? [{ event: 'varying', ...varying }, unexplained, differed] : [difference, differed],
    );
    const error = await failure(capture(options(), deps({ replay })));
    expect(error).toMatchObject({ code: 'SELFCHECK_FAILED' });
    expect(error.what).toContain('the app has 9, the replays 1 to 1.5');
  });

  it('keeps the capture and passes the code on when the app fails after it', async () => {
    const fake = deps({ app: () => 3 });
    const result = await capture(options(), fake);
    expect(result).toMatchObject({ exit_code: 3, captures: [{ name: 'saxpy' }] });
    expect(fake.said.warn.join()).toContain('exited with code 3');
  });

  const nothing: Play = () => undefined;
  it.each([
    ['the app failed', () => 7, {}, 'APP_FAILED', 'exited with code 7'],
    ['the app was killed', () => ({ exitCode: null, signal: 'SIGSEGV' }), {}, 'APP_FAILED', 'killed by SIGSEGV'],
    [
      'no process loaded the agent',
      () => 0,
      { processes: 0, queues: 0, dispatches: 0, kernels: [] },
      'NO_AGENT',
      'never loaded',
    ],
    ['no queue was created', () => 0, { queues: 0, dispatches: 0, kernels: [] }, 'NO_QUEUE', 'no queue'],
    ['nothing was launched', () => 0, { dispatches: 0, kernels: [] }, 'NO_DISPATCH', 'no kernel'],
    [
      'nothing matched',
      () => 0,
      { kernels: [{ name: 'saxpi(float*)', dispatches: 3 }] },
      'NO_MATCH',
      'none of the 3 dispatches',
    ],
  ])('says so when %s', async (_name, app, summary, code, text) => {
    const error = await failure(capture(options(), deps({ app, recorder: { play: nothing, summary } })));
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(error.what).toContain(text);
  });

  it('says that nothing matched before the app failed', async () => {
    const summary = { dispatches: 3, kernels: [{ name: 'saxpi(float*)', dispatches: 3 }] };
    const error = await failure(capture(options(), deps({ app: () => 7, recorder: { play: nothing, summary } })));
    expect(error.what).toMatch(/^none of the 3 dispatches matched [^]*; .*exited with code 7/);
    expect(error.hint).toMatch(/^did you mean saxpi\?[^]*\nor make the app run through/);
    const other = { dispatches: 3, kernels: [{ name: 'reduce(float*)', dispatches: 3 }] };
    const unlike = await failure(
      capture(options(), deps({ app: () => 7, recorder: { play: nothing, summary: other } })),
    );
    expect(unlike.what).toMatch(/exited with code 7[^]*; none of the 3 dispatches before matched/);
    expect(unlike.hint).toMatch(/or correct the expression: the app launched/);
  });

  it('points to the option when the time limit ended the app', async () => {
    const app = () => ({ exitCode: null, signal: 'SIGKILL', timedOut: true });
    const error = await failure(capture(options(), deps({ app, recorder: { play: nothing } })));
    expect(error).toMatchObject({ code: 'APP_FAILED' });
    expect(error.hint).toContain('--time-limit-seconds');
  });

  it('names the nearest kernels and their counts when nothing matched', async () => {
    const kernels = [
      { name: 'saxpi(float*)', dispatches: 1 },
      { name: 'void reduce<float>(float*)', dispatches: 40 },
    ];
    const error = await failure(capture(options(), deps({ recorder: { play: nothing, summary: { kernels } } })));
    expect(error.hint).toContain('did you mean saxpi?');
    expect(error.hint).toContain('saxpi(float*) (1 dispatch)');
    expect(error.hint).toContain('void reduce<float>(float*) (40 dispatches)');
    expect(error.hint).toContain('remove its entry from "kernels" of kernloop.json');
  });

  it('says how many dispatches matched when the ordinal is beyond them', async () => {
    const error = await failure(capture(options({ ordinal: 9 }), deps({ recorder: { play: nothing } })));
    expect(error).toMatchObject({ code: 'NO_MATCH' });
    expect(error.what).toContain('only 3 matched');
  });

  it.each([
    ['ended well', 0, ''],
    ['failed after it', 1, 'kernloop softgpu: misaligned access in kernel k\n'],
  ])(
    'says in words what the device says of a fault, and once, where the app %s',
    async (_name, exitCode, stderrTail) => {
      const fault = { kind: 'misaligned', text: 'misaligned access in kernel k' };
      const refused = {
        event: 'refused',
        id: 'saxpy',
        code: 'DEVICE_FAULT',
        reason: `it faulted: ${JSON.stringify(fault)}`,
      };
      const fake = deps({
        app: () => ({ exitCode, stderrTail }),
        recorder: {
          play: (_config, print) => {
            print({ event: 'note', code: 'DEVICE_FAULT', text: 'queue 0 reported an error' });
            print({ ...refused, hint: 'the program itself is wrong here' });
            if (exitCode !== 0) print({ ...refused, code: 'AGENT_LOST', reason: 'the app ended' });
          },
        },
      });
      const error = await failure(capture(options(), fake));
      expect(error).toMatchObject({
        code: 'DEVICE_FAULT',
        exitCode: 4,
        hint: expect.stringMatching(/^mend/) as string,
      });
      expect(error.what).toContain('misaligned access in kernel k');
      expect([error.what, ...fake.said.warn].join()).not.toContain('{');
      expect(fake.said.warn.join()).not.toContain('misaligned');
    },
  );

  it('passes the reason of a refusal on, with its code', async () => {
    const refused = { event: 'refused', id: 'saxpy', code: 'DISK_FULL', reason: 'no space left', hint: 'free some' };
    const error = await failure(capture(options(), deps({ recorder: { play: (_config, print) => print(refused) } })));
    expect(error).toMatchObject({ code: 'DISK_FULL', hint: 'free some', exitCode: 5 });
    expect(error.what).toContain('no space left');
  });

  const busyRecorder = (): FakeDeps =>
    fakeDeps(
      {
        ldd: () => 1,
        'kernloop-recorder': ({ print }) => {
          print({ event: 'error', code: 'CAPTURE_BUSY', message: 'locked by another process', hint: 'wait' });
          return 2;
        },
      },
      workspace.native,
    );

  it('passes an error of the recorder on', async () => {
    const fake = busyRecorder();
    expect(await failure(capture(options(), fake))).toMatchObject({ code: 'CAPTURE_BUSY', exitCode: 2, hint: 'wait' });
  });

  it('tells of every kernel that failed, and of those that were captured', async () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: ['a', 'b', 'c'].map((name) => ({ name, match: name })),
    });
    const recorder: RecorderScript = {
      play: (_config, _print, captureOne) => captureOne('b'),
      summary: { kernels: [{ name: 'zzz()', dispatches: 1 }] },
    };
    const error = await failure(capture(options(), deps({ recorder })));
    expect(error.what).toMatch(/a: none of[^]*also: c: none of[^]*captured nevertheless: b/);
  });

  it('takes the one declared kernel that --match fits, and refuses to guess among several', async () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      // The fake recorder takes saxpy(float*, float) for any of them.
      kernels: ['reduce', 'reduce_max', 'scale'].map((name) => ({ name, match: `^${name}\\(|float` })),
    });
    const fake = deps({ recorder: { play: (_config, _print, captureOne) => captureOne('scale') } });
    expect(await capture(options({ match: 'scale', output: workspace.path('elsewhere') }), fake)).toMatchObject({
      captures: [{ name: 'scale' }],
    });
    const error = await failure(capture(options({ match: 'reduce' }), fake));
    expect(error.hint).toBe('name one with --kernel: reduce, reduce_max, scale');
  });

  it('rejects a kernel that is not declared before anything runs', async () => {
    const fake = deps();
    const error = await failure(capture(options({ kernel: ['saxpu'] }), fake));
    expect(error).toMatchObject({ code: 'KERNEL_UNKNOWN', exitCode: 2 });
    expect(error.hint).toContain('did you mean saxpy?');
    expect(fake.calls).toEqual([]);
  });

  it('names the program that is not there, and the nearest one', async () => {
    workspace.write('app/kernloop.json', { name: 'app', command: ['./progam'], kernels: [{ name: 'k', match: 'k' }] });
    const error = await failure(capture(options(), deps()));
    expect(error).toMatchObject({ code: 'APP_NOT_FOUND', exitCode: 2 });
    expect(error.hint).toContain('program');
  });

  it('removes nothing that another recorder may be writing, on a machine whose processes are not seen here', async () => {
    const elsewhere = workspace.path('kernels/app/saxpy/capture.partial-999998');
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, 'chunks.pack'), 'x');
    await capture(options(), deps());
    expect(readdirSync(elsewhere)).toEqual(['chunks.pack']);
  });

  it('removes nothing of a capture in another container, whose recorder has the same process number', async () => {
    const theirs = workspace.path('kernels/app/saxpy/capture.partial-999999');
    mkdirSync(theirs, { recursive: true });
    const fake = busyRecorder();
    expect(await failure(capture(options(), fake))).toMatchObject({ code: 'CAPTURE_BUSY' });
    expect(existsSync(theirs)).toBe(true);
  });

  it('stops with INTERRUPTED and leaves no partial capture when a signal arrives during the run', async () => {
    const controller = new AbortController();
    const partial = workspace.path('kernels/app/saxpy/capture.partial-999999');
    const fake = fakeDeps(
      {
        ldd: () => 1,
        program: () => {
          mkdirSync(partial, { recursive: true });
          controller.abort('SIGINT');
          return { exitCode: null, signal: 'SIGTERM' };
        },
        'kernloop-recorder': async ({ print, stdinClosed }) => {
          print({ event: 'listening' });
          await stdinClosed;
          return { exitCode: null, signal: 'SIGTERM' };
        },
      },
      workspace.native,
      { signal: controller.signal },
    );
    expect(await failure(capture(options(), fake))).toMatchObject({ code: 'INTERRUPTED', exitCode: 130 });
    expect(existsSync(partial)).toBe(false);
  });

  const twoKernels = (): string =>
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      kernels: [
        { name: 'saxpy', match: '^saxpy\\(' },
        { name: 'other', match: '^saxpy' },
      ],
    });

  it.each<[string, Play, string]>([
    [
      'before the first',
      () => undefined,
      'no launch was captured yet, and nothing was left half-written; run it again',
    ],
    [
      'after the first of two',
      (_, print, take) => {
        take('saxpy');
        print({ event: 'capturing', id: 'other', bytes: 8192, total_bytes: 16384 });
        print({ event: 'refused', id: 'other', code: 'INTERRUPTED', reason: 'stopped' });
      },
      '1 launch is captured and kept (1 region, 4.0 KiB), none of them checked by a replay, and nothing was left half-written; run it again',
    ],
  ])('interrupted %s it says what is kept', async (_, play, hint) => {
    twoKernels();
    const controller = new AbortController();
    const recorder = fakeRecorder({ play });
    const fake = fakeDeps(
      {
        ldd: () => 1,
        program: () => {
          controller.abort('SIGINT');
          return { exitCode: null, signal: 'SIGTERM' };
        },
        'kernloop-recorder': recorder,
      },
      workspace.native,
      { signal: controller.signal },
    );
    expect(await failure(capture(options(), fake))).toMatchObject({ code: 'INTERRUPTED', hint });
  });

  it('interrupted in the self-check of the second it says that the first is checked', async () => {
    twoKernels();
    const controller = new AbortController();
    const replay = fakeReplay();
    const fake = fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': fakeRecorder(),
        'kernloop-replay': (call) => {
          if (!call.args.some((word) => word.includes('/other/'))) return replay(call);
          controller.abort('SIGINT');
          return { exitCode: null, signal: 'SIGTERM' };
        },
      },
      workspace.native,
      { signal: controller.signal },
    );
    const error = await failure(capture(options(), fake));
    expect(error).toMatchObject({ code: 'INTERRUPTED' });
    expect(error.hint).toMatch(
      /^2 launches are captured and kept \(2 regions, 8\.0 KiB\), 1 of them checked by a replay, /,
    );
    expect(error.hint).toContain('`extract` keeps what is checked');
  });

  describe('over a checked capture', () => {
    const folder = 'kernels/app/saxpy';
    const chunksOf = (): string => workspace.read(`${folder}/capture/chunks.pack`);
    /** A recorder whose captures are told from the one before by their chunks. */
    const recorderOf = (text: string): FakeProgram =>
      fakeRecorder({
        play: (config, _, take) => {
          for (const { id, output, outputs } of config.selections) {
            const made = output ?? join(outputs ?? '', '1');
            rmSync(join(made, 'selfcheck.json'), { force: true });
            take(id);
            writeFileSync(join(made, 'chunks.pack'), `KLPACK1\n${text}`);
          }
        },
      });
    const again = (replay: FakeProgram, text = 'new', overrides: Partial<FakeDeps> = {}): FakeDeps =>
      fakeDeps(
        { ldd: () => 1, program: () => 0, 'kernloop-recorder': recorderOf(text), 'kernloop-replay': replay },
        workspace.native,
        overrides,
      );
    const stopping = (): FakeDeps => {
      const controller = new AbortController();
      const replay: FakeProgram = () => {
        controller.abort('SIGINT');
        return { exitCode: null, signal: 'SIGTERM' };
      };
      return again(replay, 'new', { signal: controller.signal });
    };

    beforeEach(async () => {
      await capture(options(), again(fakeReplay(), 'old'));
      workspace.write(`${folder}/capture/notes.txt`, 'mine');
    });

    it('replaces it once the new one has passed, and leaves the files of the user', async () => {
      let during = '';
      const replay = fakeReplay();
      await capture(
        options(),
        again((call) => {
          if (call.args.includes('--compare')) during = chunksOf();
          return replay(call);
        }),
      );
      expect(during).toContain('old');
      expect(chunksOf()).toContain('new');
      expect(workspace.read(`${folder}/capture/notes.txt`)).toBe('mine');
      expect(workspace.read(`${folder}/capture/selfcheck.json`)).toContain('verified');
      expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
    });

    it('stopped in the self-check, it leaves the checked one with its self-check, and says so', async () => {
      const before = workspace.read(`${folder}/capture/selfcheck.json`);
      const error = await failure(capture(options(), stopping()));
      expect(error).toMatchObject({ code: 'INTERRUPTED' });
      expect(error.hint).toContain('the checked capture from before stays (saxpy)');
      expect(error.hint).not.toContain('captured and kept');
      expect(chunksOf()).toContain('old');
      expect(workspace.read(`${folder}/capture/selfcheck.json`)).toBe(before);
      expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
    });

    it('leaves the checked one where the new one fails its self-check, and says that it dropped that', async () => {
      const fails = fakeReplay((args) => (flag(args, '--poison') === '0x5A' ? [difference, differed] : [passed]));
      const error = await failure(capture(options({ scope: 'all' }), again(fails)));
      expect(error).toMatchObject({ code: 'SELFCHECK_FAILED' });
      expect(error.what).toMatch(/dropped; the checked capture from before stays in .*kernels\/app\/saxpy\/capture$/);
      expect(chunksOf()).toContain('old');
      expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
    });

    describe('by another expression that takes another kernel than is declared', () => {
      const declared = (match: string): void => {
        workspace.write('app/kernloop.json', {
          name: 'app',
          command: ['./program'],
          kernels: [{ name: 'saxpy', match }],
        });
      };
      /** Its recorder takes saxpy, whatever is declared. */
      const taking = (text: string): FakeDeps => again(fakeReplay(), text);

      it.each([{}, { selfCheck: false }, { dispatch: '1-2' }])('refuses, and leaves it (%j)', async (more) => {
        declared('^reduce\\(');
        const before = workspace.read(`${folder}/capture/selfcheck.json`);
        const error = await failure(capture(options({ match: 'float\\*, float', ...more }), taking('new')));
        expect([error.code, error.exitCode]).toEqual(['USAGE', 2]);
        expect(error.what).toContain('took saxpy(float*, float), which is not the kernel that app declares as saxpy');
        expect(error.hint).toContain('kernloop declare NAME --match');
        expect(chunksOf()).toContain('old');
        expect(workspace.read(`${folder}/capture/selfcheck.json`)).toBe(before);
        expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
      });

      it('refuses also where none was, and leaves nothing', async () => {
        declared('^reduce\\(');
        rmSync(workspace.path('kernels'), { recursive: true });
        expect((await failure(capture(options({ match: 'float' }), taking('new')))).code).toBe('USAGE');
        expect(existsSync(workspace.path(folder, 'capture'))).toBe(false);
      });

      it('claims no capture from before where none was', async () => {
        rmSync(workspace.path('kernels'), { recursive: true });
        const error = await failure(capture(options({ match: 'float' }), stopping()));
        expect([error.code, error.hint]).toEqual(['INTERRUPTED', expect.not.stringContaining('from before')]);
      });

      it('refuses in another place, too, and takes the declared kernel to its own', async () => {
        declared('^reduce\\(');
        const place = workspace.path('elsewhere');
        expect((await failure(capture(options({ match: 'float', output: place }), taking('new')))).code).toBe('USAGE');
        expect(existsSync(place)).toBe(false);
        declared('^saxpy\\(');
        await capture(options({ match: 'float', output: place }), taking('new'));
        expect(chunksOf()).toContain('old');
        await capture(options({ match: 'float' }), taking('new'));
        expect(chunksOf()).toContain('new');
      });
    });

    it('leaves it, too, where several dispatches are captured now', async () => {
      const error = await failure(capture(options({ dispatch: '1-2' }), stopping()));
      expect(error).toMatchObject({ code: 'INTERRUPTED' });
      expect(chunksOf()).toContain('old');
      expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
    });

    it('replaces at once a capture that failed its self-check, and one on request without a self-check', async () => {
      await capture(options({ selfCheck: false }), again(fakeReplay(), 'unchecked'));
      expect(chunksOf()).toContain('unchecked');
      expect(await failure(capture(options(), stopping()))).toMatchObject({
        hint: expect.stringContaining('1 launch is captured and kept') as unknown,
      });
      expect(chunksOf()).toContain('new');
    });

    it('puts the checked one back that a run left beside its place, killed as the new one took it', async () => {
      const place = workspace.path(`${folder}/capture`);
      renameSync(place, `${place}.partial-${hostname()}-999999999`);
      const error = await failure(capture(options(), stopping()));
      expect(error.hint).toContain('the checked capture from before stays (saxpy)');
      expect(chunksOf()).toContain('old');
      expect(readdirSync(workspace.path(folder))).toEqual(['capture']);
    });

    it('removes what a killed run was checking', async () => {
      const left = workspace.write(`${folder}/capture-new.partial-${hostname()}-999999999/capture/capture.json`, '{}');
      await capture(options(), again(fakeReplay()));
      expect(existsSync(left)).toBe(false);
    });
  });

  it('tells how much is left where the recorder knows how much there is, and only there', async () => {
    const told: (Progress | null)[] = [];
    const fake = deps({
      recorder: {
        play: (_, print, take) => {
          print({ event: 'capturing', id: 'saxpy', phase: 'before', bytes: 4096 });
          print({ event: 'capturing', id: 'saxpy', phase: 'before', bytes: 8192, total_bytes: 16384 });
          print({ event: 'capturing', id: 'saxpy', phase: 'after', bytes: 4096, total_bytes: 16384 });
          take('saxpy');
        },
      },
    });
    await capture(options(), { ...fake, report: { ...fake.report, progress: (now) => told.push(now) } });
    expect(told.slice(0, 4)).toEqual([
      { what: 'saxpy: captured', done: 4096, unit: 'bytes' },
      { what: 'saxpy: captured', done: 8192, total: 16384, unit: 'bytes' },
      { what: 'saxpy: compared after the launch', done: 4096, total: 16384, unit: 'bytes' },
      null,
    ]);
  });

  it('builds the app first, and says which step failed', async () => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      build: { command: ['make', '-j2'] },
      kernels: [{ name: 'saxpy', match: 'saxpy' }],
    });
    const fake = fakeDeps({ make: () => ({ exitCode: 2, stderrTail: 'no rule' }) }, workspace.native);
    const error = await failure(capture(options(), fake));
    expect(error).toMatchObject({ code: 'APP_BUILD_FAILED' });
    expect(error.what).toContain('no rule');
  });
});
