import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { reproducerForEachTest, writeReproducer, writeVariant } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { reportSchema } from './report-json';
import { validate } from './validate';

/** A race as kernloop-replay reports it. */
const finding = (fields: object = {}, other: object = {}): object => ({
  event: 'finding',
  kind: 'race',
  kernel: 'saxpy',
  access: 'write',
  pc: '0x1040',
  pc_offset: '0x40',
  instruction: 'global_store_dword v0, v1, s[0:1]',
  workgroup: [1, 0, 0],
  wave: 0,
  lane: 0,
  address: '0x1008',
  bytes: 4,
  in_lds: false,
  region: 'r0',
  offset_in_target: 8,
  text: 'race',
  ...fields,
  other: {
    access: 'read',
    pc: '0x1000',
    pc_offset: '0x0',
    instruction: 'global_load_dword v1, v0, s[0:1]',
    workgroup: [0, 0, 0],
    wave: 0,
    ...other,
  },
});
const ran = { event: 'adverse', wave_instructions: 1000 };

describe('validate, in the adverse order', () => {
  const made = reproducerForEachTest();
  beforeEach(() => void writeVariant(made.workspace));

  /** Judges with these events of the variant and of the captured code in the adverse order; usual replays pass. */
  const judge = async (variant: object[], captured: object[] = [ran, passed], overrides: object = {}) => {
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) =>
          flag(args, '--adverse') === undefined ? [passed] : args.includes('--code-object') ? variant : captured,
        ),
      },
      made.workspace.native,
    );
    const report = await validate(validateOptionsSchema.parse({ reproducer: made.reproducer, ...overrides }), fake);
    return { report, fake, text: fake.said.result.join('\n') };
  };
  const adverse = (fake: FakeDeps): (readonly string[])[] =>
    fake.calls.map(({ args }) => args).filter((args) => args.includes('--adverse'));

  it('replays once more, with a seed of its own, and says so', async () => {
    const { report, fake, text } = await judge([ran, passed]);
    expect(report).toMatchObject({ verdict: 'pass', races: [], adverse: { seed: 3, findings: 0, captured: null } });
    expect(adverse(fake).map((args) => [flag(args, '--seed'), flag(args, '--adverse')])).toEqual([['3', '2000000']]);
    // The only pattern under which unwritten memory is 0 (softgpu/engine/wave/unwritten_fill.h).
    expect(adverse(fake).map((args) => flag(args, '--poison'))).toEqual(['0x99']);
    expect(text).toContain('in 2 replays and one in adverse order, 4,096 of them');
  });

  it('says how much of a long dispatch that was', async () => {
    const { text } = await judge([{ ...ran, wave_instructions: 250 }, passed]);
    expect(text).toContain('one in adverse order (250 of 1,000 wave-instructions)');
  });

  it('is left out when told so', async () => {
    const { report, fake } = await judge([ran, differed], [ran, passed], { adverse: false });
    expect(report).toMatchObject({ verdict: 'pass', adverse: null });
    expect(adverse(fake)).toEqual([]);
  });

  it('fails for a race that the captured code does not have, with both accesses', async () => {
    const { report, fake, text } = await judge([finding(), ran, passed]);
    expect(report).toMatchObject({
      verdict: 'fail',
      exit_code: 1,
      differing_bytes: 0,
      races: [{ where: 'r0', offset: 8, accesses: [{ access: 'write', workgroup: [1, 0, 0] }, { access: 'read' }] }],
    });
    expect(text).toContain(`race in ${report.kernel}: r0 at offset 8, which the captured code does not have`);
    expect(text).toContain('wave 0 of workgroup (1, 0, 0) writes at entry +0x40: global_store_dword');
    expect(text).toMatch(/Result: FAIL \(a race that the captured code does not have, at r0 at offset 8\)$/);
    // The captured code is replayed under the same seed, and under one more.
    expect(adverse(fake).map((args) => [args.includes('--code-object'), flag(args, '--seed')])).toEqual([
      [true, '3'],
      [false, '3'],
      [false, '4'],
    ]);
    expect(reportSchema.parse(JSON.parse(readFileSync(join(made.reproducer, 'report.json'), 'utf8')))).toEqual(report);
  });

  it('names what is missing before a barrier that does not order the two', async () => {
    const unwaited = finding({ missing_wait: 's_waitcnt lgkmcnt(0)' });
    // A race of another kind in the captured code does not excuse a missing wait before a barrier.
    const { report, text } = await judge([unwaited, ran, passed], [finding(), ran, passed]);
    expect(report.races).toMatchObject([{ where: 'r0', missing_wait: 's_waitcnt lgkmcnt(0)' }]);
    expect(text).toContain(
      '  the barrier in between does not order the two: `s_waitcnt lgkmcnt(0)` is missing before it',
    );
    expect(text).toMatch(/, at r0 at offset 8: `s_waitcnt lgkmcnt\(0\)` is missing before a barrier\)$/);
  });

  it('names the cache that may answer a load that waits for ever', async () => {
    const stale = finding({ stale_cache: 'L0 cache of the compute unit' });
    // A race of another kind in the captured code does not excuse it.
    const { report, text } = await judge([stale, ran, passed], [finding(), ran, passed]);
    expect(report.races).toMatchObject([{ where: 'r0', stale_cache: 'L0 cache of the compute unit' }]);
    expect(text).toContain('  the load waits in a loop, and the L0 cache of the compute unit may answer it');
    expect(text).toMatch(/at offset 8: a load that waits may find the old value in the L0 cache of the compute unit/);
    const { report: known } = await judge([stale, ran, passed], [stale, ran, passed]);
    expect(known).toMatchObject({ verdict: 'pass', races: [] });
  });

  it.each([
    ['elsewhere in the code', finding({ pc_offset: '0x80' })],
    ['at another place of the array', finding({ address: '0x1100', offset_in_target: 256 })],
    ['between other workgroups', finding({}, { workgroup: [7, 0, 0] })],
    ['by two stores', finding({}, { access: 'write' })],
  ])('does not hold a race against a variant that the captured code has %s', async (_where, captured) => {
    const { report } = await judge([finding(), ran, passed], [captured, ran, passed]);
    expect(report).toMatchObject({ verdict: 'pass', races: [], adverse: { findings: 1, captured: { findings: 1 } } });
  });

  it.each([
    ['in another array', finding({ region: 'r1' })],
    ['in LDS', finding({ in_lds: true, region: undefined, address: '0x8' })],
    ['within a workgroup only', finding({}, { workgroup: [1, 0, 0] })],
  ])('fails although the captured code has a race %s', async (_where, captured) => {
    const { report } = await judge([finding(), ran, passed], [captured, ran, passed]);
    expect(report).toMatchObject({ verdict: 'fail', races: [{ where: 'r0' }] });
  });

  it('fails where only this order gives another result', async () => {
    const { report, text } = await judge([ran, difference, differed]);
    expect(report).toMatchObject({ verdict: 'fail', differing_bytes: 4, races: [] });
    expect(text).toMatch(/Result: FAIL \(4 of 4,096 bytes .* differ when waves run in the adverse order/);
  });

  it.each(['limit', 'fault'])('does not blame what memory held for a %s of this order', async (verdict) => {
    const overwritten = [{ region: 'r0', offset: 0, bytes: 4 }];
    writeReproducer(made.workspace, {}, { overwritten });
    writeVariant(made.workspace);
    const text = '3 workgroups, all that the device (MI210) holds at once, had not ended';
    const stopped = [
      { event: 'fault', kind: verdict, kernel: 'saxpy', text },
      { ...passed, verdict, fill: 'zeros' },
    ];
    const { report } = await judge(stopped);
    expect(report.verdict).toBe(verdict);
    expect(report.summary).toMatch(/^the (replay ran past its limit|device faulted) in the adverse order: /);
    expect(report.summary.endsWith(text)).toBe(true);
  });

  it('does not judge by an order in which the captured code itself gives another result', async () => {
    const { report, text } = await judge([ran, difference, differed], [ran, difference, differed]);
    expect(report).toMatchObject({ verdict: 'pass', differing_bytes: 0, adverse: { verdict: 'fail' } });
    expect(text).toContain('the captured code itself does not repeat what the app computed');
  });

  it('does not hold the races of the captured code against itself', async () => {
    const fake = fakeDeps(
      { 'kernloop-replay': fakeReplay((args) => (args.includes('--adverse') ? [finding(), ran, passed] : [passed])) },
      made.workspace.native,
    );
    const report = await validate(validateOptionsSchema.parse({ reproducer: made.reproducer, variant: 'none' }), fake);
    expect(report).toMatchObject({ verdict: 'pass', races: [], adverse: { findings: 1 } });
    expect(adverse(fake)).toHaveLength(1);
  });
});
