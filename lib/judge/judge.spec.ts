import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeDeps, FakeProgram } from '../testing/fake-deps';
import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay, passed } from '../testing/fake-programs';
import { sha256 } from '../support/files';
import { failure, thrown } from '../testing/failure';
import { realArchive } from '../testing/real-archive';
import { reproducerForEachTest } from '../testing/workspace';
import {
  behaving,
  compilerOf,
  fakeHipcc,
  honest,
  tunableSource as source,
  writeTunable,
  type Behaviour,
} from '../tune/testing/fake-candidates';
import type { CandidateInput } from './candidate-json';
import { Judge } from './judge';
import type { Confine } from './judge-candidate';
import { judgeSettings } from './options';
import { isSealedBy } from './seal';
import { z } from 'zod';

const made = reproducerForEachTest();
const open: Judge[] = [];
beforeEach(() => writeTunable(made.workspace));
afterEach(async () => {
  for (const judge of open.splice(0)) await judge.close();
});

const depsWith = (behaviour: Behaviour = honest, programs: Readonly<Record<string, FakeProgram>> = {}): FakeDeps =>
  fakeDeps(
    { hipcc: fakeHipcc, 'kernloop-archive': realArchive, 'kernloop-replay': behaving(behaviour), ...programs },
    made.workspace.native,
    {
      env: compilerOf(made.workspace),
    },
  );

async function judgeWith(deps = depsWith(), more: object = {}, confine: Confine | null = null): Promise<Judge> {
  const settings = z
    .object(judgeSettings)
    .parse({ reproducer: [made.reproducer], home: made.workspace.path('home'), jobs: 1, unsandboxed: true, ...more });
  const judge = await Judge.open(settings, confine, deps);
  open.push(judge);
  return judge;
}

const rows = (count: number | string, more: object = {}): CandidateInput => ({
  files: { 'kernel_variant.hip': source.replace('kRows = 4', `kRows = ${count}`) },
  ...more,
});
const wide = (width: number): CandidateInput => ({
  ...rows(4),
  configuration: { parameters: { WIDTH: width }, macros: ['WIDTH'] },
});

const verdictOf = async (judge: Judge, candidate: CandidateInput) =>
  (await judge.verdict(judge.submit(candidate).id)).judgement;

/** Questions to a driver, which compile nothing. */
const asked = ['--version', '-###'];

const compiled = (deps: FakeDeps): number =>
  deps.calls.filter(({ program, args }) => program === 'hipcc' && !args.some((word) => asked.includes(word))).length;

const path = (name: string): string => `kernels/app/saxpy/${name}`;

describe('kernloop judge', () => {
  it('judges a right candidate, scores it against the captured code, and names all that decided', async () => {
    const judge = await judgeWith();
    expect(await verdictOf(judge, rows(8, { label: 'eight' }))).toMatchObject({
      ...{ kernel: 'saxpy', label: 'eight', verdict: 'pass', error: null, from_cache: false },
      score: { wave_instructions: 500 },
      ratio: 0.5,
      derived_inputs: { judged: 3, dropped: 1 },
      decided_by: {
        sandboxed: false,
        sources: { 'kernel_variant.hip': expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        settings: { inputs: 4, replays: 2 },
        captures: [{ dispatch: 1 }],
      },
    });
  });

  it('counts the work of a variant that keeps state in a launch that finds none of it', async () => {
    const state = { changed_bytes: 8, variables: ['stash'], out_of_reach: [], launches: 2 };
    const isScored = (args: readonly string[]): boolean => !args.includes('--compare') && !args.includes('--derive');
    const copies = (call: Parameters<FakeProgram>[0]) =>
      fakeReplay((args) =>
        isScored(args)
          ? [
              { event: 'iteration', index: 0, counters: { wave_instructions: 3000 } },
              { ...passed, verdict: 'ran' },
            ]
          : [{ ...passed, differing_bytes: 0, wave_instructions: 10, state }],
      )(call);
    const judge = await judgeWith(depsWith(honest, { 'kernloop-replay': copies }), { inputs: 0 });
    expect(await verdictOf(judge, rows(8))).toMatchObject({
      ...{ verdict: 'pass', keeps_state: true, score: { wave_instructions: 3000 }, ratio: 3 },
    });
  });

  it('launches no candidate with other arguments than the app, unless kernel.json has them in its configuration', async () => {
    const given = { configuration: { arguments: { n: '5' } } };
    expect(await verdictOf(await judgeWith(), rows(8, given))).toMatchObject({
      ...{ verdict: 'not-launched', error: 'ARGUMENT_VALUE', score: null },
      summary: expect.stringContaining('the argument n') as string,
    });
    const config = JSON.parse(made.workspace.read(path('kernel.json'))) as object;
    made.workspace.write(path('kernel.json'), { ...config, ...given });
    expect(await verdictOf(await judgeWith(), rows(8, given))).not.toMatchObject({ error: 'ARGUMENT_VALUE' });
  });

  it('signs the text of every file that could be read: no compiler tells of .incbin', async () => {
    const judge = await judgeWith();
    const data = 'A'.repeat(64);
    const { files } = rows(8);
    const { decided_by: decidedBy } = await verdictOf(judge, { files: { ...files, 'data.bin': data } });
    expect(decidedBy?.sources).toMatchObject({ 'data.bin': sha256(data) });
  });

  it('signs the verdict, so that an edit of it shows', async () => {
    const judge = await judgeWith(depsWith((count) => ({ ...honest(count, '', []), verdict: 'fail' })));
    const sealed = await judge.verdict(judge.submit(rows(8)).id);
    expect(sealed.judgement).toMatchObject({
      verdict: 'fail',
      place: 'kernel_variant.hip:1',
      score: null,
      ratio: null,
    });
    expect(isSealedBy(sealed, judge.publicKey)).toBe(true);
    expect(isSealedBy({ ...sealed, judgement: { ...sealed.judgement, verdict: 'pass' } }, judge.publicKey)).toBe(false);
    const other = await judgeWith(depsWith(), { home: made.workspace.path('other') });
    expect(isSealedBy(sealed, other.publicKey)).toBe(false);
  });

  it('tells where a candidate does not compile, and compiles it again: a header elsewhere may be mended', async () => {
    const deps = depsWith(honest, {
      hipcc: (call) => {
        if (!call.args.includes('-DWIDTH=13')) return fakeHipcc(call);
        call.options.onStderr?.('kernel_variant.hip:2:7: error: 13 is too many\n');
        return { exitCode: 1, stderrTail: 'kernel_variant.hip:2:7: error: 13 is too many\n' };
      },
    });
    const judge = await judgeWith(deps);
    for (const times of [1, 2]) {
      expect(await verdictOf(judge, wide(13))).toMatchObject({
        ...{ verdict: 'not-compiled', error: 'COMPILE_FAILED', from_cache: false, score: null },
        diagnostics: [{ file: 'kernel_variant.hip', line: 2, column: 7, severity: 'error', message: '13 is too many' }],
      });
      expect(compiled(deps)).toBe(times);
    }
  });

  it('answers the same content at once, also after a restart, and anew if it is asked to', async () => {
    const deps = depsWith();
    const judge = await judgeWith(deps);
    const first = await verdictOf(judge, rows(8));
    const second = await verdictOf(judge, rows(8, { label: 'again' }));
    expect([second.from_cache, second.ratio, compiled(deps)]).toEqual([true, first.ratio, 1]);
    expect(second.id).not.toBe(first.id);
    expect((await verdictOf(await judgeWith(deps), rows(8))).from_cache).toBe(true);
    expect((await verdictOf(await judgeWith(deps, { fresh: true }), rows(8))).from_cache).toBe(false);
    expect(compiled(deps)).toBe(2);
  });

  it('does not take the verdict of other settings or another device for that of these', async () => {
    const deps = depsWith();
    await verdictOf(await judgeWith(deps), rows(8));
    for (const more of [{ inputs: 0 }, { atol: 0.5 }, { replays: 3 }])
      expect((await verdictOf(await judgeWith(deps, more), rows(8))).from_cache).toBe(false);
    expect(compiled(deps)).toBe(4);
  });

  it('believes no outcome that was edited', async () => {
    const deps = depsWith((count) => ({ ...honest(count, '', []), verdict: 'fail' }));
    const judge = await judgeWith(deps);
    await verdictOf(judge, rows(8));
    const known = made.workspace.path('home/known');
    const [name = ''] = readdirSync(known);
    const text = readFileSync(join(known, name), 'utf8');
    expect(text).toContain('"verdict": "fail"');
    writeFileSync(join(known, name), text.replace('"verdict": "fail"', '"verdict": "pass"'));
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'fail', from_cache: false });
  });

  it('compiles the same content once if it comes twice at once', async () => {
    const deps = depsWith();
    const judge = await judgeWith(deps, { jobs: 4 });
    const ids = [1, 2, 3].map(() => judge.submit(rows(8)).id);
    const all = await Promise.all(ids.map((id) => judge.verdict(id)));
    expect(all.map(({ judgement }) => judgement.verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(compiled(deps)).toBe(1);
  });

  it.each([
    ['kernel.json', 'decides the verdict'],
    ['capture/selfcheck.json', 'decides the verdict'],
    ['captures/1/capture.json', 'decides the verdict'],
    ['pristine/recipe.json', 'decides the verdict'],
    ['build/variant.hsaco', 'decides the verdict'],
    ['report.json', 'decides the verdict'],
    ['other.hsaco', 'is a code object'],
    ['../kernel_variant.hip', 'is no plain path'],
    ['/etc/passwd', 'is no plain path'],
    ['deps/../kernel.json', 'is no plain path'],
    ['./kernel.json', 'is no plain path'],
    ['deps/', 'is no plain path'],
    ['a\\b', 'is no name'],
    ['a\nb', 'is no name'],
    ['deps', 'is a folder'],
    ['kernel_variant.hip/x.h', 'lies below the file'],
  ])('refuses a candidate with the file %j', async (name, why) => {
    made.workspace.write(path('deps/a.h'), '');
    const judge = await judgeWith();
    const error = await failure(Promise.resolve().then(() => judge.submit({ files: { [name]: 'x' } })));
    expect([error.code, error.what]).toEqual(['CANDIDATE_REFUSED', expect.stringContaining(why)]);
    expect(readdirSync(made.workspace.path('home/accepted'))).toEqual([]);
  });

  it('refuses too many bytes, and an id that is a path', async () => {
    const judge = await judgeWith();
    const error = (candidate: CandidateInput) => failure(Promise.resolve().then(() => judge.submit(candidate)));
    expect(await error({ files: { 'deps/a.h': 'é'.repeat(2 ** 21 + 1) } })).toMatchObject({
      code: 'CANDIDATE_REFUSED',
    });
    for (const id of ['../x', 'a/b', '.', 'é', ''])
      expect(await error(rows(8, { id }))).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('accepts one candidate once, and refuses another one of the same id', async () => {
    const deps = depsWith();
    const judge = await judgeWith(deps);
    judge.submit(rows(2));
    judge.submit(rows(8, { id: 'mine' }));
    expect(judge.submit(rows(8, { id: 'mine' })).id).toBe('mine');
    const taken = await failure(Promise.resolve().then(() => judge.submit(rows(16, { id: 'mine' }))));
    expect([taken.code, taken.what]).toEqual(['CANDIDATE_ID_TAKEN', 'another candidate has the id mine']);
    expect((await judge.verdict('mine')).judgement.score?.wave_instructions).toBe(500);
    // The same holds once it is judged: the verdict on other files would be a wrong one.
    const late = await failure(Promise.resolve().then(() => judge.submit(rows(16, { id: 'mine' }))));
    expect([late.code, judge.submit(rows(8, { id: 'mine' })).phase]).toEqual(['CANDIDATE_ID_TAKEN', 'done']);
    expect(compiled(deps)).toBe(2);
  });

  it('offers the nearest name of a kernel that is not judged', async () => {
    const judge = await judgeWith();
    expect(await failure(Promise.resolve().then(() => judge.submit(rows(8, { kernel: 'saxpi' }))))).toMatchObject({
      ...{ code: 'KERNEL_UNKNOWN', hint: 'did you mean saxpy?' },
    });
  });

  it.each([
    ...['kernel.json', 'capture/selfcheck.json', 'capture/capture.json'],
    ...['pristine/recipe.json', 'pristine/overlay.template.json'],
  ])('gives no verdict once %s is not what it was when the judge started', async (name) => {
    const judge = await judgeWith();
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'pass' });
    made.workspace.write(path(name), `${made.workspace.read(path(name))} `);
    for (const candidate of [rows(8), rows(16)])
      expect(await verdictOf(judge, candidate)).toMatchObject({
        ...{ verdict: 'error', error: 'JUDGE_INPUT_CHANGED', score: null },
      });
  });

  it('gives no verdict if that is changed while a candidate is judged', async () => {
    const selfcheck = path('capture/selfcheck.json');
    const judge = await judgeWith(
      depsWith((count, width, args) => {
        made.workspace.write(selfcheck, `${made.workspace.read(selfcheck)} `);
        return honest(count, width, args);
      }),
    );
    expect((await verdictOf(judge, rows(8))).verdict).toBe('error');
  });

  it.each([
    '#if __has_include("kernel.json")\n#endif\n',
    '#if __has_include("capture/capture.json")\n#endif\n',
    '#include "build/variant.facts/triton.json"\n',
    '#if __has_include("pristine/kernel_variant.hip")\n#endif\n',
  ])('refuses a candidate that asks whether it is judged: %j', async (asks) => {
    const judge = await judgeWith();
    const files = { 'kernel_variant.hip': `${asks}${source}` };
    expect(await verdictOf(judge, { files })).toMatchObject({
      ...{ verdict: 'not-compiled', error: 'SOURCE_DEPENDS_ON_REPRODUCER' },
    });
  });

  it('ends a candidate whose replay crashes, and judges the next one', async () => {
    let crashes = true;
    const replay = behaving(honest);
    const judge = await judgeWith(
      depsWith(honest, {
        'kernloop-replay': (call) => {
          if (!crashes) return replay(call);
          crashes = false;
          return { exitCode: null, signal: 'SIGSEGV' };
        },
      }),
    );
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'error', score: null });
    expect(await verdictOf(judge, rows(16))).toMatchObject({ verdict: 'pass' });
    // Another try may end otherwise, so that nothing of it is kept.
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'pass', from_cache: false });
  });

  describe('with candidates under way', () => {
    let goOn = (): void => undefined;
    const waiting = (): FakeDeps => {
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return depsWith(honest, {
        hipcc: async (call) => {
          if (!call.args.includes('--version')) await Promise.race([gate, call.stdinClosed]);
          return fakeHipcc(call);
        },
      });
    };

    it('cancels one that waits and one that is compiled', async () => {
      const judge = await judgeWith(waiting());
      const [first, second] = [judge.submit(rows(2)).id, judge.submit(rows(8)).id];
      expect([judge.counts(), judge.status(second)?.phase]).toEqual([{ queued: 1, working: 1 }, 'queued']);
      expect(judge.cancel(second)).toMatchObject({ phase: 'done', sealed: { judgement: { verdict: 'cancelled' } } });
      judge.cancel(first);
      expect((await judge.verdict(first)).judgement).toMatchObject({ verdict: 'cancelled', score: null });
      goOn();
      // The verdict of a cancelled one is not kept for its content.
      expect(await verdictOf(judge, rows(2))).toMatchObject({ verdict: 'pass', from_cache: false });
    });

    it('leaves nothing to another judge of its home if its caller waits for it', async () => {
      const own = z
        .object(judgeSettings)
        .parse({ reproducer: [made.reproducer], home: made.workspace.path('home'), jobs: 1, unsandboxed: true });
      const once = await Judge.open(own, null, depsWith(), { isLasting: false });
      open.push(once);
      const { id } = once.submit(rows(8));
      expect(readdirSync(made.workspace.path('home/accepted'))).toEqual([]);
      const service = await judgeWith();
      expect(service.resume()).toBe(0);
      expect((await once.verdict(id)).judgement.verdict).toBe('pass');
      // A promise of the service is not judged beside it.
      service.submit(rows(2, { id: 'promised' }));
      expect(thrown(() => once.submit(rows(2, { id: 'promised' })))).toMatchObject({ code: 'CANDIDATE_ID_TAKEN' });
      expect((await service.verdict('promised')).judgement.verdict).toBe('pass');
    });

    it('leaves what it has accepted to the next judge of its home, which judges each once', async () => {
      const first = await judgeWith(waiting());
      const ids = [2, 8, 16].map((count) => first.submit(rows(count)).id);
      await first.close();
      const error = await failure(Promise.resolve().then(() => first.submit(rows(3))));
      expect(error.code).toBe('JUDGE_CLOSED');
      const deps = depsWith();
      const second = await judgeWith(deps);
      expect(second.resume()).toBe(3);
      const all = await Promise.all(ids.map((id) => second.verdict(id)));
      expect(all.map(({ judgement }) => judgement.score?.wave_instructions)).toEqual([2000, 500, 250]);
      expect(readdirSync(made.workspace.path('home/accepted'))).toEqual([]);
      expect((await judgeWith()).resume()).toBe(0);
    });
  });

  it('compiles through the sandbox, and replays outside of it', async () => {
    const deps = depsWith();
    const inside: string[] = [];
    const judge = await judgeWith(deps, {}, (given, folder) => ({
      ...given,
      run: (program, args, options) => {
        if (program === given.native.archive) return given.run(program, args, options);
        inside.push(program.split('/').at(-1) ?? '');
        expect(options?.cwd?.startsWith(folder)).toBe(true);
        return given.run(program, args, options);
      },
    }));
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'pass', decided_by: { sandboxed: true } });
    expect([...new Set(inside)]).toEqual(['hipcc']);
  });

  describe('derives inputs that nobody knows before:', () => {
    const seeds = (deps: FakeDeps): string[] =>
      deps.calls.flatMap(({ args }) => {
        const at = args.indexOf('--derive-seed');
        return at < 0 ? [] : [args[at + 1] ?? ''];
      });

    it('the same ones for the same candidate, others for every other one and in every other home', async () => {
      const deps = depsWith();
      const judge = await judgeWith(deps, { fresh: true });
      const first = await verdictOf(judge, rows(8));
      const again = await verdictOf(await judgeWith(deps, { fresh: true }), rows(8, { id: 'again', label: 'x' }));
      await verdictOf(judge, rows(2));
      await verdictOf(await judgeWith(deps, { home: made.workspace.path('other') }), rows(8));
      const [one, same, ...others] = seeds(deps);
      expect(same).toBe(one);
      expect(new Set([one, ...others, '1']).size).toBe(4);
      expect(again.decided_by).toEqual(first.decided_by);
      expect(first.decided_by).toMatchObject({
        secret_inputs: { commitment: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      });
      expect(first.decided_by?.settings).not.toHaveProperty('inputsSeed');
      // Neither the seed nor the secret is in what senders get.
      expect(JSON.stringify(first)).not.toContain(one);
    });

    it('asks for none where none are wanted, and says so', async () => {
      const deps = depsWith();
      const { decided_by: decidedBy } = await verdictOf(await judgeWith(deps, { inputs: 0 }), rows(8));
      expect([seeds(deps), decidedBy?.secret_inputs]).toEqual([[], null]);
    });

    it('judges anew what was judged by another secret', async () => {
      const deps = depsWith();
      await verdictOf(await judgeWith(deps), rows(8));
      rmSync(made.workspace.path('home/inputs.secret'));
      expect(await verdictOf(await judgeWith(deps), rows(8))).toMatchObject({ from_cache: false });
      expect(new Set(seeds(deps)).size).toBe(2);
    });

    const tolerance = {
      ...{ event: 'tolerance', region: 'r0', offset: 0, bytes: 4096, dtype: 'f32', elements: 1024, equal: 1020 },
      ...{ atol: 0, rtol: 0, ulp: 0, not_finite: 0 },
      ...{ within: 0, outside: 4, max_abs_error: 0.123, max_rel_error: 0.456, max_ulp_error: 78901234567 },
      first_outside: [{ offset: 8, expected: 1.625, actual: 2.75 }],
    };
    const none = { ignored_bytes: 0, varying_bytes: 0 };
    const compared = { event: 'compared', region: 'r0', bytes: 4096, changed: true, differing_bytes: 4, ...none };
    const failing = (isDerived: boolean): FakeProgram =>
      fakeReplay((args) => {
        if (args.includes('--derive') !== isDerived) return [{ ...passed, wave_instructions: 10 }];
        const argument = { name: 'n', from: 4096, to: 40951234567 };
        return [
          ...(isDerived ? [{ event: 'derived', input: 2, verdict: 'different', arrays: [], argument }] : []),
          ...[compared, tolerance],
          {
            ...passed,
            verdict: 'fail',
            differing_bytes: 4,
            ...(isDerived ? { derived: { ...counts, failed: 2 } } : {}),
          },
        ];
      });
    const counts = { seed: 1, judged: 2, dropped: 0 };

    it('tells places and counts of a wrong one, but no value of it, and no seed', async () => {
      const deps = depsWith(honest, { 'kernloop-replay': failing(true) });
      const judgement = await verdictOf(await judgeWith(deps), rows(8));
      expect(judgement).toMatchObject({
        verdict: 'fail',
        summary:
          'right for the captured input, wrong for derived input 2 (another n): 4 of 4,096 bytes differ from what the captured code makes of it',
        worst: [{ type: 'f32', elements: 1024, wrong: 4, max_abs_error: null, max_ulp_error: null, first: null }],
      });
      const text = JSON.stringify(judgement);
      for (const value of ['40951234567', '1.625', '2.75', '0.123', '0.456', '78901234567', ...seeds(deps)])
        expect([value, text.includes(value)]).toEqual([value, false]);
    });

    it('tells all of the captured one', async () => {
      const deps = depsWith(honest, { 'kernloop-replay': failing(false) });
      expect(await verdictOf(await judgeWith(deps, { adverse: false }), rows(8))).toMatchObject({
        worst: [{ wrong: 4, max_abs_error: 0.123, first: { element: 2, expected: 1.625, actual: 2.75 } }],
      });
    });
  });

  it('holds each candidate to limits of its own, below those of the judge', async () => {
    const given: object[] = [];
    const times: unknown[] = [];
    const late: FakeProgram = (call) => {
      times.push(call.options.timeoutMs);
      return call.options.timeoutMs === 2500 ? { exitCode: null, timedOut: true } : behaving(honest)(call);
    };
    const judge = await judgeWith(
      depsWith(honest, { 'kernloop-replay': late }),
      { unsandboxed: false },
      (own, _folder, _subject, limits) => {
        given.push(limits);
        return own;
      },
    );
    const limits = { compile_seconds: 7, run_seconds: 2.5, memory_bytes: 2 ** 28 };
    expect(await verdictOf(judge, rows(8, { limits }))).toMatchObject({
      ...{ verdict: 'limit', summary: 'a replay ran longer than 2.5 s', error: null, score: null },
    });
    expect(given).toEqual([expect.objectContaining(limits)]);
    // Another one may have more time: the verdict is not kept.
    expect(await verdictOf(judge, rows(8))).toMatchObject({ verdict: 'pass', from_cache: false });
    expect(new Set(times)).toEqual(new Set([2500, 600_000]));
    expect(given[1]).toMatchObject({ compile_seconds: 60, memory_bytes: 2 ** 33 });
    expect(thrown(() => judge.submit(rows(8, { limits: { compile_seconds: 61 } })))).toMatchObject({
      code: 'CANDIDATE_REFUSED',
    });
  });

  it('keeps a verdict that the disk does not take, and goes on once it does', async () => {
    const verdicts = made.workspace.path('home/verdicts');
    const deps = depsWith();
    const judge = await judgeWith(deps);
    rmSync(verdicts, { recursive: true });
    writeFileSync(verdicts, '');
    const { id } = judge.submit(rows(8));
    const verdict = judge.verdict(id);
    const isTold = new Promise<void>((resolve) => {
      const warn = deps.report.warn.bind(deps.report);
      jest.spyOn(deps.report, 'warn').mockImplementation((line) => {
        warn(line);
        if (line.startsWith(`the verdict on ${id} waits: `)) resolve();
      });
    });
    await isTold;
    expect(judge.status(id)?.sealed).toBeNull();
    rmSync(verdicts);
    expect((await verdict).judgement.verdict).toBe('pass');
  });

  it('leaves nothing of a candidate behind, and keeps its key to itself', async () => {
    const judge = await judgeWith();
    const { decided_by: decidedBy } = await verdictOf(judge, rows(8));
    expect(decidedBy).not.toBeNull();
    expect(readdirSync(made.workspace.path('home')).sort()).toEqual([
      'accepted',
      'inputs.secret',
      'key.pem',
      'key.pub',
      'known',
      'sent',
      'verdicts',
    ]);
    await judge.close();
    made.workspace.write('home/key.pem', made.workspace.read('home/key.pem'));
    chmodSync(made.workspace.path('home/key.pem'), 0o644);
    expect(await failure(judgeWith())).toMatchObject({ code: 'KEY_EXPOSED' });
  });
});
