import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReproducer } from '../reproducer/reproducer';
import { sha256 } from '../support/files';
import { ReadOnce } from '../support/read-once';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { flag } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import type { Stage } from '../stage/stage';
import { stages } from '../stages/registry';
import { runStage } from '../stages/run';
import { validateOptionsSchema } from '../validate/options';
import { tuneOptionsSchema } from './options';
import { tunePaths } from './paths';
import {
  behaving,
  compilerOf,
  fakeHipcc,
  honest,
  marker,
  tunableSource as source,
  writeTunable,
  type Behaviour,
} from './testing/fake-candidates';
import { tune } from './tune';

const made = reproducerForEachTest();
beforeEach(() => writeTunable(made.workspace));

const depsWith = (behaviour: Behaviour = honest, more: object = {}) =>
  fakeDeps({ hipcc: fakeHipcc, 'kernloop-replay': behaving(behaviour) }, made.workspace.native, {
    env: compilerOf(made.workspace),
    ...more,
  });

const options = (set: string[], more: object = {}) =>
  tuneOptionsSchema.parse({ reproducer: made.reproducer, set, jobs: 2, ...more });

const run = (set: string[], deps = depsWith(), more: object = {}) => tune(options(set, more), deps);

const compiled = (deps: ReturnType<typeof depsWith>): number =>
  deps.calls.filter(({ program, args }) => program === 'hipcc' && !args.includes('--version')).length;

describe('tune', () => {
  it('refuses an option that the device does not have, before anything is compiled', async () => {
    const deps = depsWith();
    const error = await failure(run(['kRows=2,8'], deps, { delays: 3 }));
    expect([error.code, error.what, compiled(deps)]).toEqual([
      'USAGE',
      expect.stringMatching(/^--delays .*softgpu$/),
      0,
    ]);
  });

  it('finds the best of what passes, beside the source as it is and the captured code', async () => {
    const deps = depsWith();
    const result = await run(['kRows=2,4,8', 'WIDTH=1,2'], deps);
    expect(result.candidates[0]).toMatchObject({ parameters: { kRows: 8, WIDTH: 1 }, status: 'pass', ratio: 0.5 });
    expect(result.best).toBe(result.candidates[0]?.key);
    expect(result.captured).toMatchObject({ wave_instructions: 1000, time_ns: null });
    expect(result.candidates.filter(({ is_base: isBase }) => isBase)).toMatchObject([
      { score: { wave_instructions: 1000 } },
    ]);
    expect(result.space.parameters.map(({ kind }) => kind)).toEqual(['constant', 'macro']);
    // Eight compilations: six configurations, the source as it is, and the best again for derived inputs.
    expect([result.candidates.length, compiled(deps)]).toEqual([7, 8]);
    expect(deps.said.result.join('\n')).toMatch(/best +8 +1 +500 +0.500× +pass/);
    // The user's files are untouched.
    expect(made.workspace.read('kernels/app/saxpy/kernel_variant.hip')).toBe(source);
    expect(readFileSync(join(made.reproducer, result.files.svg), 'utf8')).toMatch(/^<svg/);
  });

  it('never names what does not pass, whatever it scores: wrong results, NaNs, hangs, faults, vacuous ones', async () => {
    const verdicts: Record<string, string> = { 8: 'fail', 16: 'limit', 32: 'fault', 64: 'vacuous' };
    const result = await run(
      ['kRows=2,4,8,16,32,64,5'],
      depsWith((rows) => ({ count: { 2: 2000, 4: 1000, 5: 999 }[rows] ?? 1, verdict: verdicts[rows] })),
    );
    expect(result.candidates.find(({ key }) => key === result.best)?.parameters).toEqual({ kRows: 5 });
    expect(
      Object.fromEntries(
        result.candidates.map(({ parameters, status, score }) => [parameters['kRows'], [status, score === null]]),
      ),
    ).toEqual({
      ...{ 2: ['pass', false], 4: ['pass', false], 5: ['pass', false] },
      ...{ 8: ['fail', true], 16: ['limit', true], 32: ['fault', true], 64: ['vacuous', true] },
    });
  });

  describe('judges the best by derived inputs', () => {
    const derives = (deps: ReturnType<typeof depsWith>): (string | undefined)[] =>
      deps.calls.filter(({ args }) => args.includes('--derive')).map(({ args }) => flag(args, '--derive'));
    /** Eight rows are the fastest, but right only for the captured input. */
    const memoised: Behaviour = (rows, _width, args) => ({
      ...honest(rows, '', args),
      ...(rows === '8' && args.includes('--derive') ? { verdict: 'fail' } : {}),
    });

    it('before it calls it better, once, and says by how many', async () => {
      const deps = depsWith();
      const result = await run(['kRows=2,8'], deps);
      expect([derives(deps), result.best_inputs]).toEqual([['4'], { judged: 3, dropped: 1 }]);
      expect(result.reason).toMatch(/0\.500× the base's 1,000; judged on the captured input and 3 derived ones$/);
    });

    it('and takes the next one where it is wrong for one', async () => {
      const deps = depsWith(memoised);
      const result = await run(['kRows=2,5,8'], deps);
      expect(result.candidates.find(({ key }) => key === result.best)?.parameters).toEqual({ kRows: 5 });
      expect(result.candidates.find(({ parameters }) => parameters['kRows'] === 8)).toMatchObject({
        status: 'fail',
        score: null,
        reason: expect.stringMatching(/^right for the captured input, wrong for derived input 1/) as string,
      });
      expect(result.reason).toContain('not taken, since wrong for a derived input: kRows=8 (`--inputs 0`');
      expect(derives(deps)).toEqual(['4', '4']);
      // A cached outcome does not make it win either.
      expect((await run(['kRows=2,5,8'], depsWith(memoised))).best).toBe(result.best);
    });

    it('and never the source as it is, which is no better than itself', async () => {
      const deps = depsWith();
      expect((await run(['kRows=1,2'], deps)).best).toBeNull();
      expect(derives(deps)).toEqual([]);
    });

    it('not with --inputs 0, and every candidate where they are asked for', async () => {
      const none = depsWith(memoised);
      const result = await run(['kRows=2,8'], none, { inputs: 0 });
      expect(result.candidates.find(({ key }) => key === result.best)?.parameters).toEqual({ kRows: 8 });
      expect([derives(none), result.best_inputs]).toEqual([[], null]);
      const all = depsWith();
      expect((await run(['kRows=2,8'], all, { inputs: 2 })).best_inputs).toEqual({ judged: 1, dropped: 1 });
      expect(derives(all)).toEqual(['2', '2', '2']);
    });

    it('not where a replay is long, and says so', async () => {
      const deps = depsWith((rows) => ({ count: Math.round(16_000_000 / Number(rows)) }));
      const result = await run(['kRows=7'], deps);
      expect([derives(deps), result.best_inputs]).toEqual([[], null]);
      expect(result.reason).toContain('judged on the captured input alone, since a replay is long');
    });
  });

  it('lists what does not compile with its reason, and goes on', async () => {
    const deps = depsWith();
    const result = await run(['WIDTH=13,2', 'kRows=8'], deps);
    expect(result.candidates.find(({ parameters }) => parameters['WIDTH'] === 13)).toMatchObject({
      status: 'not-compiled',
      reason: expect.stringMatching(/COMPILE_FAILED: .*13 is too many/) as string,
    });
    expect(result.candidates[0]).toMatchObject({ parameters: { WIDTH: 2, kRows: 8 } });
  });

  it('takes what is finished from earlier runs, and builds the rest', async () => {
    await run(['kRows=2,8']);
    const deps = depsWith();
    const result = await run(['kRows=2,8,16'], deps);
    expect([result.from_cache, result.evaluated]).toEqual([3, 1]);
    // Three compilations: the new candidate, the base again for comparison, and the best for derived inputs.
    expect(compiled(deps)).toBe(3);
    expect(deps.said.info[0]).toBe('3 of 4 candidates are known from earlier runs');
    // Each change alters something that decides a candidate.
    for (const change of [
      () => made.workspace.write('kernels/app/saxpy/kernel_variant.hip', `${source}// edited\n`),
      () => made.workspace.write(made.workspace.native.replay, 'another'),
    ]) {
      change();
      expect((await run(['kRows=2,8,16'])).from_cache).toBe(0);
    }
    expect((await run(['kRows=2,8,16'], depsWith(), { rtol: 0.5, dtype: ['r0=f32'] })).from_cache).toBe(0);
  });

  it('keeps what was finished where it is stopped', async () => {
    const stop = new AbortController();
    let judged = 0;
    const behaviour: Behaviour = (rows, _width, args) => {
      if (args.includes('--compare') && ++judged === 7) stop.abort('SIGINT');
      return honest(rows, '', args);
    };
    const error = await failure(run(['kRows=2,8,16,32'], depsWith(behaviour, { signal: stop.signal })));
    expect(error.code).toBe('INTERRUPTED');
    const done = readdirSync(join(made.reproducer, 'build', 'tune', 'candidates')).length;
    expect([done > 0, done < 5]).toEqual([true, true]);
    expect(error.hint).toMatch(
      new RegExp(`^${done} of 5 candidates are judged and kept, .*run it again for the rest$`),
    );
    expect((await run(['kRows=2,8,16,32'])).from_cache).toBe(done);
  });

  const candidateFile = (key: string): string =>
    join(made.reproducer, 'build', 'tune', 'candidates', `${key}.result.json`);

  it('does not trust an entry of the cache that was changed, nor one that a fresh run refutes', async () => {
    const wrong: Behaviour = (rows) => ({ count: 1000 / Number(rows), verdict: rows === '8' ? 'fail' : 'pass' });
    const first = await run(['kRows=2,8'], depsWith(wrong));
    const failed = first.candidates.find(({ parameters }) => parameters['kRows'] === 8);
    expect([first.candidates.length, failed?.status]).toEqual([3, 'fail']);
    // Forges the file, which its digest reveals.
    const path = candidateFile(failed?.key ?? '');
    const text = readFileSync(path, 'utf8');
    const forged = text
      .replace('"status": "fail"', '"status": "pass"')
      .replace(
        '"score": null',
        '"score": { "wave_instructions": 1, "time_ns": null, "time_ratio": null, "time_ci95": null }',
      );
    expect(forged).not.toBe(text);
    writeFileSync(path, forged);
    const second = await run(['kRows=2,8'], depsWith(wrong));
    expect([second.from_cache, second.candidates.find(({ key }) => key === failed?.key)?.status]).toEqual([2, 'fail']);
    // Forges the digest too: the winner is judged again.
    const { outcome } = JSON.parse(forged) as { outcome: object };
    writeFileSync(path, JSON.stringify({ outcome, sha256: sha256(JSON.stringify(outcome)) }));
    const deps = depsWith(wrong);
    const third = await run(['kRows=2,8'], deps);
    expect(third.candidates.find(({ key }) => key === failed?.key)).toMatchObject({ status: 'fail', score: null });
    expect(third.best).toBeNull();
    expect(deps.said.warn.join('\n')).toMatch(
      /kRows=8: an earlier result said pass, 1 wave-instructions, and now it is fail/,
    );
  });

  it('compiles again what did not compile: a header elsewhere may have been its reason', async () => {
    expect((await run(['WIDTH=13,2'])).candidates.map(({ status }) => status)).toContain('not-compiled');
    const deps = depsWith();
    // The base, cached and first, is built again too.
    expect([(await run(['WIDTH=13,2'], deps)).from_cache, compiled(deps)]).toEqual([2, 2]);
  });

  it.each(['kernel.json', 'capture/selfcheck.json'])('ends where %s changes meanwhile', async (name) => {
    let judged = 0;
    const behaviour: Behaviour = (rows, _width, args) => {
      const path = `kernels/app/saxpy/${name}`;
      if (args.includes('--compare') && ++judged === 5) made.workspace.write(path, `${made.workspace.read(path)}\n`);
      return honest(rows, '', args);
    };
    const error = await failure(run(['kRows=2,8,16,32'], depsWith(behaviour)));
    expect([error.code, error.what]).toEqual([
      'TUNE_INPUT_CHANGED',
      expect.stringContaining('kernel.json or a capture'),
    ]);
  });

  it('refuses to edit a source whose bytes it cannot write back', async () => {
    const path = join(made.reproducer, 'kernel_variant.hip');
    const bytes = Buffer.concat([Buffer.from(source), Buffer.from([0x2f, 0x2f, 0xe9, 0x0a])]);
    writeFileSync(path, bytes);
    expect(await failure(run(['kRows=8'], depsWith(), { apply: true }))).toMatchObject({
      code: 'TUNE_PARAMETER',
      what: expect.stringContaining('kernel_variant.hip is not UTF-8') as string,
    });
    expect(readFileSync(path)).toEqual(bytes);
    // A macro needs no edit of the source.
    expect((await run(['WIDTH=2'])).candidates).toHaveLength(2);
  });

  it('runs twice at once over one reproducer, and both tell the same', async () => {
    const [one, other] = await Promise.all([run(['kRows=2,8,16']), run(['kRows=2,8,16'])]);
    expect(other.candidates).toEqual(one.candidates);
    expect((await run(['kRows=2,8,16'])).from_cache).toBe(4);
  });

  it('writes the winner only when it is asked, and then the reproducer passes with it', async () => {
    const before = await run(['kRows=8', 'WIDTH=2']);
    expect(before.applied).toEqual([]);
    // A command has opened the project before.
    const deps = { ...depsWith(), opened: new ReadOnce() };
    openReproducer(made.reproducer, deps.opened);
    const { applied } = await run(['kRows=8', 'WIDTH=2'], deps, { apply: true });
    expect(applied.map((name) => name.split('/').at(-1))).toEqual(['kernel_variant.hip', 'kernel.json']);
    expect(made.workspace.read('kernels/app/saxpy/kernel_variant.hip')).toBe(source.replace('= 4', '= 8'));
    expect(JSON.parse(made.workspace.read('kernels/app/saxpy/kernel.json'))).toMatchObject({
      configuration: { parameters: { WIDTH: 2 }, macros: ['WIDTH'] },
    });
    expect(deps.said.result.join('\n')).toMatch(/-constexpr int kRows = 4;\n\+constexpr int kRows = 8;/);
    expect(JSON.parse(made.workspace.read('kernels/app/saxpy/report.json'))).toMatchObject({
      verdict: 'pass',
      variant: 'build/variant.hsaco',
    });
    expect(readFileSync(join(made.reproducer, 'build/variant.hsaco'), 'latin1')).toContain(`${marker}8/2;`);
    // The configuration equal to the source is the base.
    expect((await run(['kRows=8,4', 'WIDTH=2'])).candidates.filter(({ is_base: isBase }) => isBase)).toMatchObject([
      { parameters: { kRows: 8, WIDTH: 2 } },
    ]);
  });

  it('writes the winner into what a link leads to, and leaves the link', async () => {
    const variant = join(made.reproducer, 'kernel_variant.hip');
    const own = made.workspace.write('mine/kernel.hip', source);
    rmSync(variant);
    symlinkSync(own, variant);
    await run(['kRows=8'], depsWith(), { apply: true });
    expect(lstatSync(variant).isSymbolicLink()).toBe(true);
    expect(readFileSync(own, 'utf8')).toBe(source.replace('= 4', '= 8'));
  });

  it('says once what no copy of the reproducer will find', async () => {
    const header = made.workspace.write('outside.h', '');
    const asking = `#include "../../../outside.h"\n#include "../../../absent.h"\n${source}`;
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', asking);
    const deps = depsWith();
    await run(['kRows=8'], deps);
    expect(deps.said.warn.filter((line) => line.includes('outside of the reproducer'))).toEqual([
      expect.stringContaining(`${header} lies outside`),
    ]);
  });

  it('takes back a winner that does not pass where it is applied', async () => {
    let applying = false;
    const behaviour: Behaviour = (rows, _width, args) => {
      applying ||= flag(args, '--code-object')?.startsWith(made.reproducer) ?? false;
      return { count: 1000 / Number(rows), verdict: applying ? 'fail' : 'pass' };
    };
    const error = await failure(run(['kRows=8'], depsWith(behaviour), { apply: true }));
    expect(error.code).toBe('TUNE_NOT_APPLIED');
    expect(made.workspace.read('kernels/app/saxpy/kernel_variant.hip')).toBe(source);
  });

  const variantFile = 'kernels/app/saxpy/kernel_variant.hip';

  /** Acts once, while the changes of --apply are judged. */
  const whileJudged = (act: () => void, verdict = 'pass'): Behaviour => {
    let isDone = false;
    return (rows, _width, args) => {
      const isApplied = flag(args, '--code-object')?.startsWith(made.reproducer) ?? false;
      if (isApplied && !isDone) act();
      isDone ||= isApplied;
      return { count: 1000 / Number(rows), verdict: isApplied ? verdict : 'pass' };
    };
  };
  const saveAnEdit = (): void =>
    void made.workspace.write(variantFile, `${made.workspace.read(variantFile)}// MY EDIT\n`);

  it.each(['fail', 'pass'])(
    'leaves an edit that is saved while the verdict comes, which is %s, and says so',
    async (verdict) => {
      const deps = depsWith(whileJudged(saveAnEdit, verdict));
      const error = await failure(run(['kRows=8', 'WIDTH=2'], deps, { apply: true }));
      expect(error.code).toBe('TUNE_NOT_APPLIED');
      expect(error.what).toMatch(/kernel_variant\.hip was changed while tune judged .* left as it is now/);
      expect(made.workspace.read(variantFile)).toBe(`${source.replace('= 4', '= 8')}// MY EDIT\n`);
      // Files that were not edited are restored.
      expect(made.workspace.read('kernels/app/saxpy/kernel.json')).not.toContain('WIDTH');
      expect(existsSync(tunePaths(made.reproducer).applying)).toBe(false);
    },
  );

  it('leaves an edit that is saved before it is stopped', async () => {
    const stop = new AbortController();
    const behaviour = whileJudged(() => {
      saveAnEdit();
      stop.abort('SIGINT');
    });
    const error = await failure(run(['kRows=8'], depsWith(behaviour, { signal: stop.signal }), { apply: true }));
    expect([error.code, error.what]).toEqual(['INTERRUPTED', expect.stringContaining('left as it is now')]);
    expect(error.hint).not.toContain('nothing was left half-written');
    expect(made.workspace.read(variantFile)).toContain('// MY EDIT');
  });

  describe('after a kill while what was written is judged', () => {
    const dead = 2 ** 22 + 1;
    beforeEach(async () => {
      const { applying } = tunePaths(made.reproducer);
      let left = '';
      await run(['kRows=8', 'WIDTH=2'], depsWith(whileJudged(() => (left = readFileSync(applying, 'utf8')))), {
        apply: true,
      });
      expect(existsSync(applying)).toBe(false);
      writeFileSync(applying, left.replace(`"pid": ${process.pid}`, `"pid": ${dead}`));
    });

    it('takes its files back before it searches', async () => {
      const deps = depsWith();
      const result = await run(['kRows=2,8'], deps);
      expect(made.workspace.read(variantFile)).toBe(source);
      expect(made.workspace.read('kernels/app/saxpy/kernel.json')).not.toContain('WIDTH');
      expect(result.candidates.filter(({ is_base: isBase }) => isBase)).toMatchObject([{ parameters: { kRows: 4 } }]);
      expect(deps.said.warn[0]).toMatch(/kernel_variant\.hip, kernel\.json: taken back; .* was killed/);
      expect(existsSync(tunePaths(made.reproducer).applying)).toBe(false);
    });

    it('leaves what was edited since', async () => {
      saveAnEdit();
      const deps = depsWith();
      await run(['kRows=2,8'], deps);
      expect(made.workspace.read(variantFile)).toContain('// MY EDIT');
      expect(deps.said.warn.slice(0, 2).join('\n')).toMatch(
        /kernel\.json: taken back.*\n.*kernel_variant\.hip: left as it is/,
      );
    });

    it('every other verb says that nobody judged what it works on', async () => {
      const deps = depsWith();
      await runStage(
        stages.validate as Stage,
        { ...validateOptionsSchema.parse({ reproducer: made.reproducer, variant: 'none' }) },
        deps,
      );
      expect(deps.said.warn).toContainEqual(
        expect.stringMatching(/kernel_variant\.hip, kernel\.json: .* killed before its verdict/),
      );
      expect(made.workspace.read(variantFile)).toBe(source.replace('= 4', '= 8'));
    });

    it('takes nothing back where another process may still be at it', async () => {
      const { applying } = tunePaths(made.reproducer);
      writeFileSync(applying, readFileSync(applying, 'utf8').replace(String(dead), String(process.ppid)));
      const deps = depsWith();
      const error = await failure(run(['kRows=16'], deps, { apply: true }));
      expect([error.code, error.what]).toEqual(['TUNE_NOT_APPLIED', expect.stringContaining('another')]);
      expect(made.workspace.read(variantFile)).toBe(source.replace('= 4', '= 8'));
      expect(deps.said.warn[0]).toContain('without a verdict so far');
    });

    it('follows no name out of the reproducer', async () => {
      const { applying } = tunePaths(made.reproducer);
      writeFileSync(
        applying,
        readFileSync(applying, 'utf8').replace('"kernel_variant.hip"', '"../kernel_variant.hip"'),
      );
      expect((await failure(run(['kRows=8']))).code).toBe('PATH_OUTSIDE');
    });
  });

  it('warns of a parameter that the compiler takes no notice of', async () => {
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', `${source}// of UNUSED no code comes\n`);
    const deps = depsWith();
    await run(['UNUSED=1,2', 'kRows=4,8'], deps);
    expect(deps.said.warn).toContain(
      "UNUSED changes nothing in the kernel's code, which is the same for each of its values",
    );
    expect(deps.said.warn.join()).not.toContain('kRows');
  });

  it('warns of a parameter that only other code in the same file depends on', async () => {
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', `${source}constexpr int elsewhere = 1;\n`);
    const deps = depsWith();
    const { candidates } = await run(['elsewhere=1,2', 'kRows=4,8'], deps);
    expect(new Set(candidates.map(({ code_object_sha256: file }) => file)).size).toBe(4);
    expect(deps.said.warn.filter((line) => line.includes('changes nothing'))).toEqual([
      expect.stringMatching(/^elsewhere changes nothing in the kernel's code/),
    ]);
  });

  it('is an error if no configuration can be judged, with the first reason', async () => {
    const error = await failure(run(['WIDTH=13', 'kRows=2,8']));
    const what =
      'none of 2 configurations could be judged; the first, WIDTH=13 kRows=2: kernel_variant.hip did not compile: kernel_variant.hip:2: error: 13 is too many';
    expect([error.code, error.what]).toEqual(['COMPILE_FAILED', what]);
    const kept = JSON.parse(readFileSync(tunePaths(made.reproducer).result, 'utf8')) as object;
    expect(kept).toMatchObject({ best: null, reason: what, candidates: [{ is_base: true }, {}, {}] });
    const one = await failure(run(['WIDTH=13']));
    expect(one.what).toBe(what.replace(/^.*first, /, '').replace(' kRows=2', ''));
  });

  it('is none if the source as it is was asked for, and judged', async () => {
    expect((await run(['kRows=4'])).reason).toBe('no configuration is better than the source as it is');
  });

  it('says so where nothing is better, and where nothing passes', async () => {
    const none = await run(['kRows=2,4']);
    expect([none.best, none.reason]).toEqual([null, 'no configuration is better than the source as it is']);
    expect(existsSync(join(made.reproducer, none.files.patch ?? 'none'))).toBe(false);
    const wrong = await run(
      ['kRows=2,4'],
      depsWith(() => ({ count: 1, verdict: 'fail' })),
      { fresh: true },
    );
    expect([wrong.best, wrong.reason]).toEqual([null, 'none of 2 candidates passes']);
  });

  it.each([
    [['kRow=4'], /nothing depends on kRow/],
    [['a=4'], undefined],
  ])('refuses what nothing depends on: %j', async (set, why) => {
    made.workspace.write('kernels/app/saxpy/kernel.json', {
      ...(JSON.parse(made.workspace.read('kernels/app/saxpy/kernel.json')) as object),
      args: [
        {
          index: 1,
          name: 'a',
          type: 'float',
          declared: 'float',
          role: 'in',
          element: null,
          offset: 8,
          size: 4,
          kind: 'by_value',
        },
      ],
    });
    if (why)
      expect(await failure(run(set))).toMatchObject({
        code: 'TUNE_PARAMETER',
        what: expect.stringMatching(why) as string,
      });
    else {
      const deps = depsWith();
      await run(set, deps);
      // A scalar argument is passed as part of the variant's own launch.
      const replays = deps.calls.filter(({ program, args }) => program === 'kernloop-replay' && args.includes('--arg'));
      expect(replays.map(({ args }) => [flag(args, '--arg'), args.includes('--own-launch')])).toContainEqual([
        '1:f32=4',
        true,
      ]);
    }
  });
});
