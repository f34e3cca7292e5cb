import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join } from 'node:path';
import type { Device } from '../device/device';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaOf, difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { captureJson, TestWorkspace } from '../testing/workspace';
import { selfCheck } from './self-check';

describe('the self-check on hardware, whose order follows no seed', () => {
  let workspace: TestWorkspace;
  let capture: string;
  let device: Device;

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write('capture/capture.json', captureJson({ execution: {} }));
    capture = workspace.path('capture');
    device = cudaOf(workspace);
  });
  afterEach(() => workspace.dispose());

  async function check(replay: FakeProgram) {
    const deps = fakeDeps({ 'kernloop-replay': replay }, workspace.native);
    const result = await selfCheck({ capture, stores: [], waveInstructions: null, limitSeconds: 60 }, device, deps);
    return { ...result, replays: deps.calls.map(({ args }) => args) };
  }

  it('replays twice under each of two poison patterns, within seconds and without a seed', async () => {
    const { selfcheck, replays } = await check(fakeReplay());
    expect(selfcheck).toMatchObject({ verdict: 'verified', replays: 4 });
    expect(replays.map((args) => [flag(args, '--poison'), flag(args, '--iterations')])).toEqual([
      ['0xA5', '2'],
      ['0x5A', '2'],
    ]);
    expect(replays.every((args) => flag(args, '--limit-seconds') === '60')).toBe(true);
    for (const option of ['--seed', '--threads', '--limit-wave-instructions'])
      expect(replays.flat()).not.toContain(option);
  });

  it('calls the scope too small when the result follows the pattern', async () => {
    const replay = fakeReplay((args) => (flag(args, '--poison') === '0x5A' ? [difference, differed] : [passed]));
    const { selfcheck, scopeTooSmall } = await check(replay);
    expect([selfcheck.verdict, scopeTooSmall]).toEqual(['failed', true]);
    expect(selfcheck.reason).toContain('poison');
  });

  it('fails a capture that holds addresses of functions by name, and asks for no wider scope', async () => {
    const refusal = {
      ...{ event: 'error', code: 'CODE_ADDRESS_IN_MEMORY', hint: 'on the software GPU' },
      message: 'region r1 holds the address of twice(int)',
    };
    const { selfcheck, scopeTooSmall, replays } = await check(fakeReplay(() => [refusal]));
    expect([selfcheck.verdict, scopeTooSmall, replays.length]).toEqual(['failed', false, 1]);
    expect(selfcheck.reason).toBe('region r1 holds the address of twice(int) [CODE_ADDRESS_IN_MEMORY]');
  });

  const row = { region: 'r0', offset: 16, bytes: 4, count: 3, stride: 8 };
  const overwritten = { event: 'overwritten', ...row };
  const passes = (args: readonly string[]): object[] =>
    flag(args, '--search-overwritten') ? [overwritten, passed] : [passed];

  it('searches for what is overwritten without being read, and confirms it in the next process', async () => {
    const given: unknown[] = [];
    const replay = fakeReplay((args) => {
      const file = flag(args, '--overwritten');
      if (file) given.push([flag(args, '--fills'), JSON.parse(readFileSync(file, 'utf8'))]);
      return passes(args);
    });
    const { selfcheck } = await check(replay);
    expect(selfcheck).toMatchObject({ verdict: 'verified', overwritten: [row], replays: 7 });
    expect(given).toEqual([['captured,huge,opposite,zeros', { overwritten: [row] }]]);
  });

  it('goes on in another process where a search cost one, and never counts that against the capture', async () => {
    let processes = 0;
    const files = new Set<string>();
    const replay = fakeReplay((args) => {
      const file = flag(args, '--search-overwritten');
      if (!file) return passes(args);
      processes += 1;
      files.add(file);
      writeFileSync(file, '{}');
      return processes < 3 ? [{ event: 'result', verdict: 'fault' }] : passes(args);
    });
    const { selfcheck } = await check(replay);
    expect(selfcheck).toMatchObject({ verdict: 'verified', overwritten: [row] });
    expect([processes, files.size, existsSync([...files][0] ?? '')]).toEqual([3, 1, false]);
  });

  it('ends a search that only costs processes, with nothing known', async () => {
    const replay = fakeReplay((args) => {
      const file = flag(args, '--search-overwritten');
      if (!file) return [passed];
      writeFileSync(file, '{}');
      return [{ event: 'result', verdict: 'limit' }];
    });
    expect((await check(replay)).selfcheck).toMatchObject({ verdict: 'verified', overwritten: [] });
  });

  it('forgets what another process does not confirm, and judges the capture without it', async () => {
    const replay = fakeReplay((args) => (flag(args, '--fills') ? [difference, differed] : passes(args)));
    expect((await check(replay)).selfcheck).toMatchObject({ verdict: 'verified', overwritten: [] });
  });

  const varying = { region: 'r0', offset: 0, dtype: 'f32', count: 1, min: [1], max: [1.5] };

  /** The n-th fresh process differs in a value of its own if `differs` says so; so does one of the first check. */
  const varies = (differs: (index: number) => boolean, calibration: object[]) => {
    let index = 0;
    return fakeReplay((args) => {
      if (flag(args, '--calibrate')) return calibration;
      if (flag(args, '--known-varying')) return [passed];
      if (!flag(args, '--iterations')) index += 1;
      return index === 0 || differs(index) ? [{ ...difference, first_actual: `0${index}` }, differed] : [passed];
    });
  };

  it('calls it nondeterministic when replays under one pattern differ, with the ranges of a calibration', async () => {
    const replay = varies((index) => index % 2 === 0, [{ event: 'varying', ...varying }, passed]);
    const { selfcheck, replays } = await check(replay);
    expect(selfcheck).toMatchObject({ verdict: 'nondeterministic', varying: [varying] });
    const probes = replays.filter((args) => args.includes('--known-varying'));
    expect(probes.map((args) => flag(args, '--poison'))).toEqual([undefined, '0xA5', '0x5A']);
    expect(probes.map((args) => flag(args, '--search-overwritten') !== undefined)).toEqual([true, false, false]);
    expect(JSON.parse(readFileSync(join(capture, 'selfcheck.json'), 'utf8'))).toEqual(sealed(selfcheck));
  });

  it('calibrates in fresh processes, each with the replays of those before it, until nothing new varies', async () => {
    let calibrations = 0;
    const files = new Set<unknown>();
    const calibration = (args: readonly string[]): object[] => {
      calibrations += 1;
      files.add(flag(args, '--calibration-file'));
      const is_settled = calibrations >= 11;
      return [
        { event: 'varying', ...varying },
        { ...passed, replays: 8 * calibrations, confidence: 0.99, miss_per_replay: 1e-6, is_settled },
      ];
    };
    const varied = varies((index) => index % 2 === 0, []);
    const replay: FakeProgram = (call) =>
      flag(call.args, '--calibrate') ? fakeReplay(() => calibration(call.args))(call) : varied(call);
    const { selfcheck } = await check(replay);
    expect([calibrations, files.size]).toEqual([11, 1]);
    expect(selfcheck.calibration).toEqual({ replays: 88, confidence: 0.99, miss_per_replay: 1e-6, is_settled: true });
    expect(existsSync(String([...files][0]))).toBe(false);
  });

  it('has a verdict of its own for what is no number around a centre', async () => {
    const shape = { ...varying, dtype: 'u8', count: 512, min: [], max: [], order_dependent: true };
    const { selfcheck } = await check(varies((index) => index % 2 === 0, [{ event: 'varying', ...shape }, passed]));
    expect(selfcheck).toMatchObject({ verdict: 'order-dependent', varying: [shape] });
  });

  it('never calls a capture verified of which one replay differed', async () => {
    const { selfcheck } = await check(varies(() => false, [passed]));
    expect(selfcheck.verdict).toBe('failed');
    expect(selfcheck.reason).toContain('one replay differed');
  });

  it('never calls a result nondeterministic that is the same in every replay but differs from the app', async () => {
    const { selfcheck, scopeTooSmall } = await check(
      fakeReplay((args) => (flag(args, '--calibrate') ? [differed] : [difference, differed])),
    );
    expect([selfcheck.verdict, scopeTooSmall]).toEqual(['failed', true]);
    expect(selfcheck.reason).toContain("differs from the app's");
  });

  /** The n-th replay differs in a value of its own, and a calibration cannot say by how much. */
  const beyond = { ...differed, reason: 'far more differs than the order of execution can explain' };
  const disagrees = (values: (index: number) => string): FakeProgram => {
    let index = 0;
    return fakeReplay((args) => {
      if (flag(args, '--calibrate')) return [beyond];
      if (flag(args, '--known-varying')) return [passed];
      index += 1;
      return [{ ...difference, first_actual: values(index) }, differed];
    });
  };

  it('says that order or time decides where no two replays agree, and judges the rest', async () => {
    const { selfcheck, scopeTooSmall } = await check(disagrees((index) => `0${index}`));
    expect([selfcheck.verdict, scopeTooSmall]).toEqual(['order-dependent', false]);
    expect(selfcheck.reason).toContain("6 replays gave 6 different results, none of them the app's");
    expect(selfcheck.varying).toMatchObject([{ region: 'r0', offset: 0, count: 4096, order_dependent: true }]);
  });

  it('calls the capture incomplete where replays vary at first and then agree with each other, but not with the app', async () => {
    const { selfcheck, scopeTooSmall } = await check(disagrees((index) => (index < 6 ? `0${index}` : '09')));
    expect([selfcheck.verdict, scopeTooSmall]).toEqual(['failed', true]);
    expect(selfcheck.reason).toContain('agree with each other in r0, and not with the app');
  });

  it('fails, without another scope, where there are too few results to say', async () => {
    const { selfcheck, scopeTooSmall } = await check(disagrees((index) => `0${(index >> 1) % 2}`));
    expect([selfcheck.verdict, scopeTooSmall]).toEqual(['failed', false]);
    expect(selfcheck.reason).toContain('2 different results');
  });

  it('fails on a fault', async () => {
    const fault = { event: 'fault', kind: 'illegal address', kernel: 'saxpy', text: 'saxpy: illegal address' };
    const { selfcheck } = await check(fakeReplay(() => [fault, { event: 'result', verdict: 'fault' }]));
    expect(selfcheck).toMatchObject({ verdict: 'failed' });
    expect(selfcheck.reason).toContain('illegal address');
  });
});

describe('the self-check where the device tells what is read and written', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write('capture/capture.json', captureJson());
  });
  afterEach(() => workspace.dispose());

  it('keeps as untouched what no order of waves touches, also where nothing is overwritten', async () => {
    const row = (bytes: number): object => ({ region: 'r0', offset: 64, bytes });
    const given: unknown[] = [];
    let left = 40;
    const replay = fakeReplay((args) => {
      if (!args.includes('--find-overwritten')) return [passed];
      const file = flag(args, '--overwritten');
      given.push(file ? JSON.parse(readFileSync(file, 'utf8')) : null);
      left -= 8;
      return [{ event: 'untouched', ...row(left) }, passed];
    });
    const device = { ...cudaOf(workspace), seeded: true };
    const target = { capture: workspace.path('capture'), stores: [], waveInstructions: 1000, limitSeconds: 60 };
    const { selfcheck } = await selfCheck(target, device, fakeDeps({ 'kernloop-replay': replay }, workspace.native));
    expect(selfcheck).toMatchObject({ verdict: 'verified', overwritten: [], untouched: [row(left)] });
    // The first replay searches; each later one starts with what the earlier ones left.
    expect(given).toEqual([null, ...[32, 24, 16].map((bytes) => ({ overwritten: [], untouched: [row(bytes)] }))]);
  });
});
