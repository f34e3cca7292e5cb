import { readFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { captureJson, TestWorkspace, verifiedSelfcheck, writeReproducer, writeVariant } from '../testing/workspace';
import { unmovedWords } from './derived-inputs-text';
import { validateOptionsSchema } from './options';
import { reportSchema, type DerivedInputs } from './report-json';
import { judge as judgeUnkept, validate } from './validate';

const slot = (offset: number, value: string, region?: string): object => ({
  offset,
  size: 8,
  kind: region === undefined ? 'by_value' : 'global_buffer',
  value,
  ...(region === undefined ? {} : { region }),
});
const argument = (index: number, name: string, type: string, size = 8): object => ({
  ...{ index, name, type, declared: type, role: 'inout', element: null, offset: index * 8, size },
  kind: type.includes('*') ? 'global_buffer' : 'by_value',
});
const args = [
  argument(0, 'out', 'float*'),
  argument(1, 'links', 'void*'),
  argument(2, 'n', 'int', 4),
  argument(3, 'scale', 'float', 4),
  argument(4, 'flag', 'bool', 1),
];

describe('validate --inputs', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace, { args });
    const capture = workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({
        kernel: { name: 'saxpy(float*, void*, int, float, bool)', symbol: '_Z5saxpyPff', code_object: 'a'.repeat(64) },
        kernarg: { slots: [slot(0, '0x400000000000', 'r0'), slot(8, '0x400000000800', 'r0'), slot(16, '0x1000')] },
      }),
    );
    workspace.write('kernels/app/saxpy/capture/selfcheck.json', sealed(verifiedSelfcheck(capture)));
    writeVariant(workspace);
  });
  afterEach(() => workspace.dispose());

  const array = { region: 'r0', offset: 0, elements: 512, dtype: 'f32', declared: true };
  const same = (input: number): object => ({
    ...{ event: 'derived', input, verdict: 'same', recipe: 'resampled', arrays: [array] },
  });
  const dropped = { ...same(3), verdict: 'dropped', reason: 'the captured code faults with it' };
  const result = (verdict: string, derived: object, more: object = {}): object => ({
    ...{ event: 'result', verdict, compared_bytes: 4096, differing_bytes: 0, derived: { seed: 1, ...derived } },
    ...more,
  });
  const judge = async (
    options: object,
    answer: object[],
  ): Promise<{
    fake: FakeDeps;
    line: string;
    report: Awaited<ReturnType<typeof validate>>;
    asked: readonly string[];
  }> => {
    const replay = fakeReplay((given) => (given.includes('--derive') ? answer : [passed]));
    const printing: FakeProgram = (call) => {
      if (call.args.includes('--derive')) call.options.onStderr?.('memory access outside\n');
      return replay(call);
    };
    const fake = fakeDeps({ 'kernloop-replay': printing }, workspace.native);
    const report = await validate(validateOptionsSchema.parse({ reproducer, adverse: false, ...options }), fake);
    const asked = fake.calls.map((call) => call.args).find((each) => each.includes('--derive')) ?? [];
    return { fake, report, asked, line: fake.said.result.at(-1) ?? '' };
  };
  const valuesOf = (given: readonly string[], name: string): string[] =>
    given.flatMap((each, index) => (each === name ? [given[index + 1] ?? ''] : []));

  it('asks for nothing where no inputs are wanted', async () => {
    const { fake, report } = await judge({}, []);
    expect(fake.calls.filter((call) => call.args.includes('--derive'))).toEqual([]);
    expect(report).not.toHaveProperty('inputs');
  });

  it('says what elements are declared to be, and which arguments are sizes', async () => {
    const { asked } = await judge({ inputs: 4, inputsSeed: 7, inputsSpecial: true }, [
      result('pass', { judged: 4, dropped: 0 }),
    ]);
    expect([flag(asked, '--derive'), flag(asked, '--derive-seed')]).toEqual(['4', '7']);
    expect(asked).toEqual(expect.arrayContaining(['--derive-special', '--compare', '--code-object']));
    // The type holds only up to the pointer of unknown type, about which the software GPU reports more; a flag is no
    // size.
    expect(valuesOf(asked, '--derive-type')).toEqual(['r0:0:2048=f32']);
    expect(valuesOf(asked, '--derive-scalar')).toEqual(['n:16:i32', 'scale:24:f32']);
  });

  it('leaves as captured what it is told to', async () => {
    const { asked } = await judge({ inputs: 4, inputsKeep: ['n', 'links'] }, [
      result('pass', { judged: 4, dropped: 0 }),
    ]);
    expect(valuesOf(asked, '--derive-scalar')).toEqual(['scale:24:f32']);
    expect(valuesOf(asked, '--derive-keep')).toEqual(['r0:2048:2048']);
    expect(await failure(judge({ inputs: 4, inputsKeep: ['m'] }, []))).toMatchObject({ code: 'USAGE' });
  });

  const moved = (input: number, count: number, more: object = {}): object => ({
    ...{ ...same(input), recipe: 'permuted', ...more },
    arrays: [{ ...array, elements: 2048, dtype: 'u8', record_bytes: 16, records: 128, moved_records: count }],
  });

  it('has whole records change places', async () => {
    const { asked, line, report } = await judge({ inputs: 2, inputsRecord: ['out=16'] }, [
      moved(1, 127),
      moved(3, 128),
      result('pass', { judged: 2, dropped: 0 }),
    ]);
    expect(valuesOf(asked, '--derive-record')).toEqual(['r0:0:2048=16']);
    expect(report.inputs?.tried[0]?.changes).toBe('127 of 128 records of out in other places');
    expect(report.inputs?.records).toEqual([
      { name: 'out', record_bytes: 16, records: 128, moved_records: 128, reason: null },
    ]);
    expect(line).toContain(
      'judged on the captured input and 2 derived ones, 2 of them with records in other places: 128 of 128 of out)',
    );
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual(report);
  });

  it('says that no record moves where no inputs are wanted', async () => {
    const warning = /no derived inputs were asked for, .*: add --inputs 4/;
    const none = await judge({ inputsRecord: ['out=16'] }, []);
    expect(none.fake.said.warn.at(-1)).toMatch(warning);
    expect(none.report.verdict).toBe('pass');
    const some = await judge({ inputs: 1, inputsRecord: ['out=16'] }, [
      moved(1, 9),
      result('pass', { judged: 1, dropped: 0 }),
    ]);
    expect(some.fake.said.warn).not.toContainEqual(expect.stringMatching(warning));
  });

  it('begins with records of which no judged input had another order', async () => {
    const equal = 'all records are equal, so that no order is another input';
    const { line, report } = await judge({ inputs: 2, inputsRecord: ['out=16'] }, [
      moved(1, 0, { verdict: 'dropped', reason: equal }),
      same(2),
      result('pass', { judged: 1, dropped: 1 }),
    ]);
    expect(report.inputs?.records?.[0]).toMatchObject({ moved_records: 0, reason: equal });
    expect(line).toContain(`NOT judged with records of out in other places: ${equal}; `);
    expect(line).not.toContain('of them with records');
  });

  it('says of several dispatches what moved in any, and what moved in none', () => {
    const tried = (name: string, count: number): DerivedInputs => ({
      ...{ asked: 1, seed: 1, judged: 1, dropped: 0, failed: null, reason: null, tried: [] },
      records: [
        { name, record_bytes: 16, records: 128, moved_records: count, reason: count > 0 ? null : 'it faults' },
        { name: 'y', record_bytes: 16, records: 9, moved_records: 0, reason: 'it faults' },
      ],
    });
    expect(unmovedWords([tried('x', 128), tried('x', 0)])).toEqual([
      'NOT judged with records of y in other places: it faults',
      'NOT judged with records of x in other places: it faults',
    ]);
  });

  it('fails with the records that moved', async () => {
    const { line } = await judge({ inputs: 2, inputsRecord: ['out=16'] }, [
      moved(1, 128, { verdict: 'different' }),
      difference,
      { ...differed, derived: { judged: 1, dropped: 0, seed: 1, failed: 1 } },
    ]);
    expect(line).toMatch(/wrong for derived input 1 \(128 of 128 records of out in other places\): 4 of/);
  });

  it('refuses records that are none, also where no inputs are wanted, and those that are to be kept', async () => {
    expect(await failure(judge({ inputsRecord: ['out=100'] }, []))).toMatchObject({ code: 'USAGE' });
    const both = await failure(judge({ inputs: 2, inputsRecord: ['out=16'], inputsKeep: ['out'] }, []));
    expect(both).toMatchObject({ code: 'USAGE' });
    expect(String(both)).toContain('--inputs-record moves out, which --inputs-keep keeps');
  });

  it('leaves the arguments of a Triton kernel, which is compiled for them', async () => {
    const triton = { language: 'triton', source: { file: 'a.py', line: 1, translation_unit: 'a.py', variant: 'k.py' } };
    workspace.write('kernels/app/saxpy/kernel.json', {
      ...(JSON.parse(workspace.read('kernels/app/saxpy/kernel.json')) as object),
      ...triton,
    });
    const { asked } = await judge({ inputs: 4, variant: 'none' }, [result('pass', { judged: 4, dropped: 0 })]);
    expect(valuesOf(asked, '--derive-scalar')).toEqual([]);
    expect(valuesOf(asked, '--derive-type')).toHaveLength(1);
  });

  it('passes with what it is a pass of', async () => {
    const { fake, line, report } = await judge({ inputs: 2 }, [
      same(1),
      same(2),
      dropped,
      result('pass', { judged: 2, dropped: 1 }),
    ]);
    expect(line).toMatch(
      /^Result: PASS \(.*; judged on the captured input and 2 derived ones \(1 dropped: the captured code faults with it\)\)$/,
    );
    // The captured code faulted with an input: the device's words would be taken for a fault of the variant.
    expect(fake.said.output).toEqual([]);
    expect(report.inputs).toMatchObject({ asked: 2, judged: 2, dropped: 1, failed: null });
    expect(report.inputs?.tried[0]).toMatchObject({ changes: 'other values in out', verdict: 'same' });
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual(report);
  });

  it('counts those of another argument or module variable', async () => {
    const { line, report } = await judge({ inputs: 4 }, [
      same(1),
      { ...same(2), recipe: undefined, arrays: [], argument: { name: 'scale', from: 2.5, to: 1.25 } },
      { ...same(3), arrays: [{ ...array, region: undefined, variable: 'coef' }] },
      { ...dropped, arrays: [], argument: { name: 'n', from: 4096, to: 4095 } },
      result('pass', { judged: 3, dropped: 1 }),
    ]);
    expect(line).toContain(
      'judged on the captured input and 3 derived ones, 2 of them with another argument or module variable (1 dropped',
    );
    expect(report.inputs?.tried.map(({ changes }) => changes)).toEqual([
      'other values in out',
      'scale = 1.25 instead of 2.5',
      'other values in coef',
      'n = 4095 instead of 4096',
    ]);
  });

  it('begins with it where nothing was judged, and counts it for nothing', async () => {
    const none = await judge({ inputs: 2 }, [
      result('vacuous', { judged: 0, dropped: 0 }, { reason: 'the captured code reads no memory' }),
    ]);
    expect([none.report.verdict, none.report.inputs?.judged]).toEqual(['pass', 0]);
    expect(none.line).toMatch(
      /^Result: PASS \(races NOT judged \(adverse is off\); NOT judged on derived inputs: the captured code reads no memory; 4,096/,
    );
    const all = await judge({ inputs: 2 }, [dropped, result('vacuous', { judged: 0, dropped: 1 })]);
    expect(all.line).toContain(
      'NOT judged on derived inputs: all 1 that were tried are dropped: the captured code faults',
    );
  });

  it('fails with the input that it is wrong for, and how to have that one again', async () => {
    const wrong = {
      ...same(3),
      ...{ verdict: 'different', recipe: undefined, arrays: [], argument: { name: 'n', from: 4096, to: 4095 } },
    };
    const { line, report } = await judge({ inputs: 2, inputsSeed: 5 }, [
      ...[same(1), wrong, difference],
      { ...differed, derived: { judged: 2, dropped: 0, seed: 5, failed: 3 } },
    ]);
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, differing_bytes: 4, inputs: { failed: 3 } });
    expect(report.differences).toHaveLength(1);
    expect(line).toMatch(
      /^Result: FAIL \(right for the captured input, wrong for derived input 3 \(n = 4095 instead of 4096\): 4 of 4,096 bytes differ .*: --inputs-only 3 --inputs-seed 5\)$/,
    );
  });

  it('fails where the variant alone goes past the end of LDS with one', async () => {
    const { report, line } = await judge({ inputs: 2 }, [
      { ...same(1), verdict: 'past_lds' },
      result('fail', { judged: 1, dropped: 0, failed: 1 }),
    ]);
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, differing_bytes: 0 });
    expect(line).toMatch(/wrong for derived input 1 \(other values in out\): it goes past the end of LDS, which/);
  });

  it('says that it is wrong behind another input alone', async () => {
    const { line } = await judge({ inputs: 2 }, [
      {
        ...same(1),
        verdict: 'different',
        reason: "with what a launch with another input left in the variant's own memory",
      },
      { ...differed, derived: { judged: 1, dropped: 0, seed: 1, failed: 1 } },
    ]);
    expect(line).toMatch(/wrong for derived input 1 \(other values in out, with what a launch with another input left/);
  });

  it('fails where the variant faults with one', async () => {
    const { fake, report, line } = await judge({ inputs: 2 }, [
      { ...same(1), verdict: 'fault' },
      { event: 'fault', kind: 'memory_access', text: 'wave 3 reads beyond' },
      result('fault', { judged: 1, dropped: 0, failed: 1 }),
    ]);
    expect(report).toMatchObject({ verdict: 'fault', exit_code: 4 });
    expect(fake.said.output).toEqual(['memory access outside\n']);
    expect(line).toMatch(/wrong for derived input 1 \(other values in out\): the device faulted: .*beyond/);
  });

  it('tells neither seed nor values to those who must not know them', async () => {
    const fault = { event: 'fault', kind: 'memory_access', text: 'wave 3 reads 0x1234' };
    const replay = fakeReplay((given) =>
      given.includes('--derive')
        ? [
            {
              ...same(1),
              verdict: 'fault',
              recipe: undefined,
              arrays: [],
              argument: { name: 'n', from: 4096, to: 4095 },
            },
            fault,
            result('fault', { judged: 1, dropped: 0, failed: 1 }),
          ]
        : [passed],
    );
    const given = validateOptionsSchema.parse({ reproducer, adverse: false, inputs: 2, inputsSeed: 77 });
    const deps = fakeDeps({ 'kernloop-replay': replay }, workspace.native);
    const { report } = await judgeUnkept({ ...given, isSeedSecret: true }, deps);
    expect(report.summary).toBe(
      'right for the captured input, wrong for derived input 1 (another n): the device faulted',
    );
  });

  it('is not asked of code that is wrong already', async () => {
    const replay = fakeReplay(() => [difference, differed]);
    const fake = fakeDeps({ 'kernloop-replay': replay }, workspace.native);
    await validate(validateOptionsSchema.parse({ reproducer, adverse: false, inputs: 4 }), fake);
    expect(fake.calls.filter((call) => call.args.includes('--derive'))).toEqual([]);
  });

  it('needs direct launches', async () => {
    expect(await failure(judge({ inputs: 4, launch: 'hip' }, []))).toMatchObject({ code: 'USAGE' });
  });
});
