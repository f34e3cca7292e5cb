import { readFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join } from 'node:path';
import { sha256OfFile } from '../support/files';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { captureJson, TestWorkspace, writeReproducer, writeVariant } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { reportSchema } from './report-json';
import { validate } from './validate';

/** A kernel is right only if it is right for every captured dispatch. */
describe('validate, of several captured dispatches', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
    addCapture(2);
    addCapture(10);
  });
  afterEach(() => workspace.dispose());

  function addCapture(number: number, overrides: object = {}, verdict = 'verified'): void {
    const folder = `kernels/app/saxpy/captures/${number}`;
    const capture = workspace.write(
      `${folder}/capture.json`,
      captureJson({ dispatch: { ordinal: number, index: number, queue: 0 }, ...overrides }),
    );
    workspace.write(`${folder}/chunks.pack`, '');
    workspace.write(
      `${folder}/selfcheck.json`,
      sealed({
        ...(JSON.parse(readFileSync(join(reproducer, 'capture', 'selfcheck.json'), 'utf8')) as object),
        capture_sha256: sha256OfFile(capture),
        verdict,
      }),
    );
  }

  const options = (overrides: object = {}) =>
    validateOptionsSchema.parse({ reproducer, replays: 1, adverse: false, ...overrides });
  const deps = (wrong?: string, events: object[] = [difference, differed]): FakeDeps =>
    fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) =>
          wrong !== undefined && flag(args, '--capture') === join(reproducer, wrong) ? events : [passed],
        ),
      },
      workspace.native,
    );
  const replayed = (fake: FakeDeps): (string | undefined)[] =>
    fake.calls.map(({ args }) => flag(args, '--capture')?.slice(reproducer.length + 1));

  it('judges all of them, by number, where nothing else is asked for', async () => {
    const fake = deps();
    const report = await validate(options(), fake);
    expect(replayed(fake)).toEqual(['capture', 'captures/2', 'captures/10']);
    expect(report).toMatchObject({ verdict: 'pass', exit_code: 0, dispatch: 1, capture: 'capture', not_judged: [] });
    expect(report.dispatches.map(({ dispatch, capture, verdict }) => [dispatch, capture, verdict])).toEqual([
      [1, 'capture', 'pass'],
      [2, 'captures/2', 'pass'],
      [10, 'captures/10', 'pass'],
    ]);
    expect(fake.said.result.at(-1)).toBe(
      'Result: PASS (3 captured dispatches: 12,288 bytes compared with what the app computed, 12,288 of them changed by the kernel)',
    );
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual(report);
  });

  it('judges the one whose folder is named', async () => {
    const fake = deps();
    await validate(options({ reproducer: join(reproducer, 'captures', '2') }), fake);
    expect(replayed(fake)).toEqual(['captures/2']);
  });

  it.each(['capture', 'captures/2', 'captures/10'])('fails where only %s is wrong', async (wrong) => {
    const fake = deps(wrong);
    const report = await validate(options(), fake);
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, capture: wrong, differing_bytes: 4 });
    expect(report.dispatches.map(({ verdict }) => verdict).sort()).toEqual(['fail', 'pass', 'pass']);
    expect(replayed(fake)).toHaveLength(3);
    const text = fake.said.result.join('\n');
    expect(text).toContain(`(${wrong}): FAIL (4 of 4,096 bytes`);
    expect(text).toContain('r0 at offset 8');
    expect(fake.said.result.at(-1)).toMatch(
      /^Result: FAIL \(2 of 3 captured dispatches pass; dispatch \d+: 4 of 4,096/,
    );
  });

  it.each([
    ['vacuous', 3],
    ['limit', 4],
  ])('does not pass where one is no more than %s', async (verdict, exitCode) => {
    const fake = deps('captures/2', [{ event: 'result', verdict, compared_bytes: 4096, differing_bytes: 0 }]);
    expect(await validate(options(), fake)).toMatchObject({ verdict, exit_code: exitCode, dispatch: 2 });
  });

  it.each([
    ['10', ['captures/10']],
    ['10,1', ['capture', 'captures/10']],
    ['all', ['capture', 'captures/2', 'captures/10']],
  ])('judges those that are named: %s', async (capture, expected) => {
    const fake = deps();
    const report = await validate(options({ capture }), fake);
    expect(replayed(fake)).toEqual(expected);
    expect(report.dispatches.map((one) => one.capture)).toEqual(expected);
  });

  it('judges the one that is named also where another is wrong', async () => {
    expect(await validate(options({ capture: '1' }), deps('captures/2'))).toMatchObject({ verdict: 'pass' });
  });

  it.each([
    ['10', 'PASS (dispatches 1, 2 NOT judged: --capture 10 leaves them out; 4,096 bytes'],
    ['10,1', 'PASS (dispatch 2 NOT judged: --capture 10,1 leaves it out; 2 captured dispatches: 8,192 bytes'],
  ])('says in its result what %s leaves out', async (capture, expected) => {
    const fake = deps();
    const report = await validate(options({ capture }), fake);
    expect(fake.said.result.at(-1)).toContain(`Result: ${expected}`);
    expect(`PASS (${report.summary}`).toContain(expected);
    const judged = report.dispatches.map(({ dispatch }) => dispatch);
    expect(report.not_judged).toEqual(
      [1, 2, 10]
        .filter((number) => !judged.includes(number))
        .map((number) => expect.objectContaining({ dispatch: number, reason: 'left out' }) as object),
    );
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual(report);
  });

  it('says it of a failure too, behind what fails', async () => {
    const fake = deps('captures/10');
    await validate(options({ capture: '10' }), fake);
    expect(fake.said.result.at(-1)).toMatch(/^Result: FAIL \(4 of 4,096 .*; dispatches 1, 2 NOT judged: /);
  });

  it('names a few of very many that were left out', async () => {
    for (let number = 11; number <= 30; number += 1) addCapture(number);
    expect((await validate(options({ capture: '1' }), deps())).summary).toMatch(
      /^dispatches 2, 10, 11, 12, 13, 14, 15, 16 and 14 more NOT judged: /,
    );
  });

  it.each([
    ['3', 'CAPTURE_MISSING', /dispatch 1, 2, 10 are captured here/],
    ['1,3', 'CAPTURE_MISSING', /kernloop capture --dispatch 3/],
    ['al', 'USAGE', /did you mean all\?/],
    ['captures/2', 'USAGE', /give numbers/],
    ['-1', 'USAGE', /give numbers/],
  ])('refuses %s, which names none', async (capture, code, hint) => {
    const fake = deps();
    const error = await failure(validate(options({ capture }), fake));
    expect([error.code, error.exitCode]).toEqual([code, 2]);
    expect(error.hint).toMatch(hint);
    expect(fake.calls).toEqual([]);
  });

  it('takes no folder for a capture that is none', async () => {
    workspace.write('kernels/app/saxpy/captures/7/notes.txt', 'nothing');
    workspace.write('kernels/app/saxpy/captures/mine/capture.json', captureJson());
    expect((await validate(options(), deps())).dispatches).toHaveLength(3);
  });

  it('says what it does not judge, of another kernel, and judges it by its own symbol when named', async () => {
    const kernel = { name: 'saxpy<2>', symbol: '_Z5saxpyILi2EE', code_object: 'a'.repeat(64) };
    addCapture(4, { kernel });
    const fake = deps();
    const report = await validate(options(), fake);
    expect(report).toMatchObject({
      verdict: 'pass',
      not_judged: [{ dispatch: 4, capture: 'captures/4', kernel: 'saxpy<2>', reason: 'another kernel' }],
    });
    expect(replayed(fake)).not.toContain('captures/4');
    expect(fake.said.result).toContain('not judged: dispatch 4 (captures/4) is of saxpy<2>; --capture 4 judges it');
    expect(fake.said.result.at(-1)).toMatch(
      /^Result: PASS \(NOT judged: 1 capture of another kernel; 3 captured dispatches: /,
    );
    expect(report.summary).toMatch(/^NOT judged: 1 capture of another kernel; /);
    expect(await validate(options({ capture: '4' }), deps('captures/4'))).toMatchObject({
      verdict: 'fail',
      kernel: 'saxpy<2>',
      not_judged: [],
    });
  });

  it.each([undefined, 'all'])(
    'says in its result how many captures are of other kernels: --capture %s',
    async (capture) => {
      for (const number of [4, 5]) {
        const kernel = { name: `saxpy<${number}>`, symbol: `_Z5saxpyILi${number}EE`, code_object: 'a'.repeat(64) };
        addCapture(number, { kernel });
      }
      const words = 'NOT judged: 2 captures of other kernels';
      const passes = deps();
      await validate(options({ capture }), passes);
      expect(passes.said.result.at(-1)).toContain(`Result: PASS (${words}; 3 captured dispatches: `);
      const fails = deps('captures/2');
      await validate(options({ capture }), fails);
      expect(fails.said.result.at(-1)).toMatch(new RegExp(`^Result: FAIL \\(2 of 3 .*; ${words}\\)$`));
      expect((await validate(options({ capture: '1,2,10' }), deps())).summary).not.toContain('other kernel');
    },
  );

  it('does not take the same symbol of other code for the same kernel', async () => {
    const kernel = { name: 'saxpy(float*, float)', symbol: '_Z5saxpyPff', code_object: 'b'.repeat(64) };
    addCapture(4, { kernel });
    expect((await validate(options(), deps())).not_judged).toHaveLength(1);
  });

  it('runs nothing where one of them can judge nothing', async () => {
    addCapture(2, {}, 'failed');
    const fake = deps();
    const error = await failure(validate(options(), fake));
    expect(error.code).toBe('SELFCHECK_FAILED');
    expect(error.message).toContain('captures/2');
    expect(error.hint).toContain('--capture');
    expect(fake.calls).toEqual([]);
    expect(await validate(options({ capture: '1,10' }), deps())).toMatchObject({ verdict: 'pass' });
  });

  it('judges each with the variant', async () => {
    const variant = writeVariant(workspace);
    const fake = deps();
    await validate(options({ variant }), fake);
    expect(fake.calls).toHaveLength(3);
    expect(new Set(fake.calls.map(({ args }) => flag(args, '--code-object')))).toEqual(new Set([variant]));
  });
});
