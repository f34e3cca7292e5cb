import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { basename, join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type Call, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { difference, differed, fakeCudaReplay, fakeLock, fakeReplay, flag, passed } from '../testing/fake-programs';
import { sha256 } from '../support/files';
import { schemaErrors } from '../testing/published-schema';
import { TestWorkspace, writeReproducer, writeVariant, writeCapture } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { parseSanitizerLog } from './sanitizer-report';
import { validate } from './validate';

const begin = '========= COMPUTE-SANITIZER\n';
const cleanRaces = `${begin}========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n`;
const clean = `${begin}========= ERROR SUMMARY: 0 errors\n`;
const race = `${begin}========= Error: Race reported between Write access at reduce(float *, const float *)+0x130 in /input/kernel.cu:9
=========     and Read access at reduce(float *, const float *)+0x1a0 in /input/kernel.cu:12 [2976 hazards]
=========     and Read access at reduce(float *, const float *)+0x1d0 in /input/kernel.cu:12 [96 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
`;
const writes = race.replaceAll('Read access', 'Write access');
const uninitialized = `${begin}========= Uninitialized __global__ memory read of size 4 bytes
=========     at scale(float *)+0x70 in /input/kernel.cu:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= Uninitialized __global__ memory read of size 4 bytes
=========     at scale(float *)+0x70 in /input/kernel.cu:41
=========     by thread (30,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000f8
=========
========= ERROR SUMMARY: 257 errors
========= ERROR SUMMARY: 155 errors were not printed. Use --print-limit option to adjust the number of printed errors
`;
const overflowed = uninitialized.replace(
  /=+ ERROR SUMMARY/,
  '========= 7936 errors were skipped (error buffer overflow).\n=========\n$&',
);
const invalid = `${begin}========= Invalid __global__ write of size 4 bytes
=========     at scale(float *)+0x70
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x7bd889c03041 is out of bounds
========= Target application returned an error
========= ERROR SUMMARY: 1 error
`;

describe('a report of compute-sanitizer', () => {
  const kinds = (log: string): [string, number][] =>
    parseSanitizerLog(log).findings.map(({ kind, count }) => [kind, count]);

  it.each<[string, string, [string, number][], number]>([
    ['nothing', cleanRaces, [], 0],
    ['nothing', clean, [], 0],
    ['a race', race, [['race between read and write of shared memory', 1]], 1],
    ['a race of writes', writes, [['race between write of shared memory', 1]], 1],
    ['reads of what nobody wrote', uninitialized, [['read of uninitialised global memory', 2]], 257],
    ['no kind for those that it skips', overflowed, [['read of uninitialised global memory', 2]], 257],
    ['an access outside', invalid, [['invalid write of global memory', 1]], 1],
  ])('names %s by its kind, and counts', (_name, log, found, summary) => {
    expect([kinds(log), parseSanitizerLog(log).summary]).toEqual([found, summary]);
  });

  it('has the place of the first of a kind in its text', () => {
    const [finding] = parseSanitizerLog(race).findings;
    expect(finding?.text).toContain('/input/kernel.cu:9');
    expect(finding?.text).toContain('/input/kernel.cu:12 [2976 hazards]');
  });

  it('is no report without its last line, and tells what the tool says of itself', () => {
    const dead = `${begin}========= Error: Target application terminated before first instrumented API call\n`;
    expect(parseSanitizerLog(dead)).toMatchObject({ summary: null, findings: [] });
    expect(parseSanitizerLog(dead).trouble).toContain('before first instrumented API call');
    expect(parseSanitizerLog('').summary).toBeNull();
  });

  it('keeps what it does not know, by its words without numbers', () => {
    const log = `${begin}========= Barrier error detected in block 7\n========= ERROR SUMMARY: 1 error\n`;
    expect(kinds(log)).toEqual([['Barrier error detected in block #', 1]]);
  });

  it('bounds and cleans what a hostile name may bring', () => {
    const hostile = Array.from({ length: 500 }, (_, n) => `========= \u001b[31mUnheard${'x'.repeat(n)} of\n`).join('');
    const { findings } = parseSanitizerLog(begin + hostile + '========= ERROR SUMMARY: 500 errors\n');
    expect(findings.length).toBeLessThanOrEqual(100);
    for (const { text } of findings) expect(text).toMatch(/^[ -~]{1,500}$/);
  });
});

describe('validate under compute-sanitizer', () => {
  let workspace: TestWorkspace;
  let reproducer: string;
  /** Time limit of each run of the tool. */
  let limits: (number | undefined)[];

  beforeEach(() => {
    limits = [];
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
    const device = { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' };
    const path = writeCapture(workspace, { device, execution: {} });
    const selfcheck = join(reproducer, 'capture', 'selfcheck.json');
    const checked = JSON.parse(readFileSync(selfcheck, 'utf8')) as object;
    const digest = sha256(readFileSync(path, 'utf8'));
    workspace.write(selfcheck, sealed({ ...checked, capture_sha256: digest }));
    chmodSync(workspace.write('tools/compute-sanitizer', '#!/bin/sh\n'), 0o755);
  });
  afterEach(() => workspace.dispose());

  interface Answers {
    variant?: string | null;
    captured?: string | null;
    replay?: object[];
    under?: object[];
    exit?: number;
    /** How many runs of the tool hang before one ends. */
    hangs?: number;
    /** Milliseconds that a plain replay takes. */
    plainMs?: number;
  }

  /** The tool writes its log and starts the replay that its arguments name. */
  const deps = (answers: Answers, env: object = { PATH: workspace.path('tools') }): FakeDeps => {
    let hangs = answers.hangs ?? 0;
    let nowMs = 0;
    const replayed = fakeCudaReplay(() => {
      nowMs += answers.plainMs ?? 0;
      return answers.replay ?? [passed];
    });
    const tool = (call: Call): ReturnType<FakeProgram> => {
      limits.push(call.options.timeoutMs);
      if (hangs > 0) {
        hangs -= 1;
        // A report that looks whole, because the tool may hang at its end.
        writeFileSync(flag(call.args, '--log-file') ?? '', cleanRaces);
        call.print({ event: 'result', verdict: 'ran' });
        return { exitCode: null, signal: 'SIGKILL', timedOut: true };
      }
      const ofVariant = call.args.includes('--code-object');
      const log = ofVariant ? answers.variant : answers.captured;
      if (log !== null) writeFileSync(flag(call.args, '--log-file') ?? '', log ?? cleanRaces);
      const program = call.args.findIndex((word) => basename(word) === 'kernloop-replay');
      const ran = (ofVariant ? answers.under : undefined) ?? [{ event: 'result', verdict: 'ran' }];
      const code = fakeReplay(() => ran)({ ...call, args: call.args.slice(program + 1) });
      return answers.exit ?? code;
    };
    return fakeDeps({ sh: fakeLock, 'kernloop-replay': replayed, 'compute-sanitizer': tool }, workspace.native, {
      env: env as Record<string, string>,
      clock: { now: () => new Date(0), monotonicMs: () => nowMs },
    });
  };
  const run = async (asked: object, answers: Answers, isVariant = true) => {
    if (isVariant) writeVariant(workspace);
    const fake = deps(answers);
    const report = await validate(validateOptionsSchema.parse({ reproducer, device: 'cuda', ...asked }), fake);
    expect(schemaErrors('report', JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual([]);
    const runs = fake.calls.filter(({ program }) => program === 'compute-sanitizer');
    return { report, runs, result: fake.said.result.at(-1) ?? '' };
  };

  it('fails a variant for a race that the captured code has not, though memory is right', async () => {
    const { report, runs, result } = await run({ racecheck: true }, { variant: race });
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1 });
    expect(result).toMatch(
      /^Result: FAIL \(racecheck found what the captured code has not: race between read and write of shared memory \(/,
    );
    expect(report.sanitizer).toMatchObject([{ tool: 'racecheck', findings: [{ count: 1, in_captured: false }] }]);
    expect(runs).toHaveLength(2);
    for (const { args, env } of runs) {
      expect([args.slice(0, 2), env['KERNLOOP_CUPTI']]).toEqual([['--tool', 'racecheck'], 'off']);
      expect(args).not.toContain('--compare');
    }
    expect(runs.map(({ args }) => args.includes('--code-object'))).toEqual([true, false]);
  });

  it('passes where nothing is found, with one replay more, and says so', async () => {
    const { report, runs, result } = await run({ racecheck: true }, { variant: cleanRaces });
    expect([report.verdict, runs.length]).toEqual(['pass', 1]);
    expect(result).toContain('; racecheck found nothing)');
  });

  it('passes what the captured code has too, at whatever place, and says that it is not judged', async () => {
    const elsewhere = race.replaceAll('kernel.cu:', 'original.cu:1').replaceAll('+0x', '+0xf');
    const { report, result } = await run({ racecheck: true }, { variant: race, captured: elsewhere });
    expect(report.verdict).toBe('pass');
    expect(result).toContain('race between read and write of shared memory), which is not judged');
    const other = await run({ racecheck: true }, { variant: race, captured: writes });
    expect(other.report.verdict).toBe('fail');
  });

  it('never fails the captured code itself', async () => {
    const { report, runs } = await run({ racecheck: true, variant: 'none' }, { captured: race }, false);
    expect([report.verdict, runs.length]).toEqual(['pass', 1]);
    expect(report.sanitizer).toMatchObject([{ findings: [{ in_captured: true }] }]);
  });

  it('runs each tool that is asked for, and none that is not', async () => {
    const all = { racecheck: true, initcheck: true, memcheck: true };
    const { report, runs } = await run(all, { variant: uninitialized, captured: clean });
    expect(new Set(runs.map(({ args }) => args[1]))).toEqual(new Set(['racecheck', 'initcheck', 'memcheck']));
    for (const { args } of runs) expect(args.includes('--leave-padding')).toBe(args[1] === 'initcheck');
    expect(report.verdict).toBe('fail');
    expect((await run({}, {})).runs).toEqual([]);
  });

  it('names the access where the replay under the tool faults for it', async () => {
    const under = [
      { event: 'fault', kind: 'memory' },
      { event: 'result', verdict: 'fault' },
    ];
    const { report } = await run({ memcheck: true }, { variant: invalid, captured: clean, under });
    expect(report.summary).toContain('invalid write of global memory');
  });

  it('adds to what fails already', async () => {
    const { report } = await run({ racecheck: true }, { variant: race, replay: [difference, differed] });
    expect(report.summary).toMatch(/^racecheck found .*; 4 of 4,096 bytes/);
  });

  it.each<[string, Answers, string]>([
    ['writes no report', { variant: null }, 'it wrote no report'],
    ['has no last line', { variant: begin }, 'no summary'],
    ['stops amid its findings', { variant: race.replace(/^.*SUMMARY.*$/m, '') }, 'no summary'],
    ['counts what it does not name', { variant: clean.replace('0 errors', '3 errors') }, 'it counts 3'],
    [
      'speaks of itself',
      { variant: `${begin}========= Error: No attachable process found\n========= ERROR SUMMARY: 0 errors\n` },
      'No attachable process found',
    ],
    ['cannot start', { variant: null, under: [], exit: 127 }, 'kernloop-replay'],
    ['ends the replay', { under: [{ event: 'result', verdict: 'limit' }], exit: 4 }, 'ended with "limit"'],
  ])('is an error where the tool %s, never a pass', async (_name, answers, why) => {
    writeVariant(workspace);
    const options = validateOptionsSchema.parse({ reproducer, device: 'cuda', racecheck: true });
    const error = await failure(validate(options, deps(answers)));
    expect([error.code, error.exitCode]).toEqual(['SANITIZER_FAILED', 5]);
    expect(error.what).toContain(why);
  });

  it('tries a tool that hangs once more, and judges by the second run', async () => {
    const { report, runs } = await run({ initcheck: true }, { hangs: 1, variant: uninitialized, captured: clean });
    expect([report.verdict, runs.length]).toEqual(['fail', 3]);
  });

  it('is an error where the tool hangs twice, though its report looks whole', async () => {
    writeVariant(workspace);
    const fake = deps({ hangs: 2 });
    const options = validateOptionsSchema.parse({ reproducer, device: 'cuda', initcheck: true });
    const error = await failure(validate(options, fake));
    expect([error.code, error.exitCode]).toEqual(['SANITIZER_FAILED', 5]);
    expect(error.what).toContain('it hung twice, for 120 s each');
    expect(error.hint).toContain('--limit-seconds');
    expect(fake.calls.filter(({ program }) => program === 'compute-sanitizer')).toHaveLength(2);
  });

  it.each([
    ['where plain replays are short', {}, 0, 120_000],
    ['as long as plain replays suggest', {}, 10_000, 400_000],
    ['as --limit-seconds says', { limitSeconds: 500 }, 10_000, 1_000_000],
  ])('gives the tool time %s', async (_name, asked, plainMs, limit) => {
    await run({ racecheck: true, ...asked }, { variant: race, captured: race, plainMs });
    expect(limits).toEqual([limit, limit]);
  });

  it('is an error where the tool is nowhere, before anything runs', async () => {
    const fake = deps({}, { PATH: '/nowhere' });
    const options = validateOptionsSchema.parse({ reproducer, device: 'cuda', initcheck: true });
    const error = await failure(validate(options, fake));
    expect([error.code, error.exitCode]).toEqual(['ENVIRONMENT_TOOL_MISSING', 5]);
    expect(fake.calls.filter(({ args }) => args.includes('--capture'))).toEqual([]);
  });

  it('finds the tool in CUDA_HOME', async () => {
    chmodSync(workspace.write('cuda/bin/compute-sanitizer', '#!/bin/sh\n'), 0o755);
    const fake = deps({}, { PATH: '/nowhere', CUDA_HOME: workspace.path('cuda') });
    const options = validateOptionsSchema.parse({ reproducer, device: 'cuda', racecheck: true });
    expect(await validate(options, fake)).toMatchObject({ verdict: 'pass' });
  });

  it('is for cuda, and names what there is elsewhere', async () => {
    writeReproducer(workspace);
    const error = await failure(validate(validateOptionsSchema.parse({ reproducer, racecheck: true }), deps({})));
    expect([error.code, error.hint]).toEqual(['USAGE', expect.stringContaining('KERNLOOP_SOFTGPU_CHECK')]);
  });
});
