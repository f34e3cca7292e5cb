import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { judgedEvents } from './testing/judged-events';

/** An access past LDS as kernloop-replay reports it. */
const pastLds = (fields: object = {}): object => ({
  event: 'past_lds',
  kind: 'lds_out_of_range',
  access: 'read',
  pc: '0x1040',
  pc_offset: '0x40',
  instruction: 'ds_read_b32 v1, v0',
  workgroup: [0, 0, 0],
  wave: 0,
  lane: 63,
  address: '0x100',
  bytes: 4,
  text: 'LDS access out of range',
  ...fields,
});

describe('an access past the end of LDS', () => {
  const made = reproducerForEachTest();
  const judge: typeof judgedEvents = (...given) => {
    writeVariant(made.workspace);
    return judgedEvents(...given);
  };

  it.each([false, true])('fails a variant with the instruction (in the adverse order: %s)', async (isAdverse) => {
    const { report, line } = await judge(made, [pastLds(), pastLds({ pc_offset: '0x50' })], [], isAdverse);
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, differing_bytes: 0 });
    expect(report.past_lds).toMatchObject([
      { access: 'read', pc_offset: '0x40', lds_offset: 256, in_captured: false },
      { pc_offset: '0x50' },
    ]);
    expect(line).toMatch(
      /^Result: FAIL \(reads past the end of LDS at entry \+0x40: `ds_read_b32 v1, v0` at offset 256, and 1 more, which the captured code does not/,
    );
  });

  it('is said beside the verdict where the captured code does the same, wherever its instruction is', async () => {
    const { report, line } = await judge(made, [pastLds()], [pastLds({ pc_offset: '0x90', address: '0x200' })]);
    expect(report).toMatchObject({ verdict: 'pass', past_lds: [{ in_captured: true }] });
    expect(line).toMatch(/^Result: PASS .*; it reads past the end of LDS, as the captured code does/);
  });

  it('fails a variant that writes where the captured code only reads', async () => {
    const write = pastLds({ access: 'write', instruction: 'ds_write_b32 v0, v1', pc_offset: '0x50' });
    const { report, line } = await judge(made, [pastLds(), write], [pastLds()]);
    expect(report).toMatchObject({ verdict: 'fail', past_lds: [{ in_captured: true }, { in_captured: false }] });
    expect(line).toMatch(/^Result: FAIL \(writes past the end of LDS at entry \+0x50/);
  });

  it('is said of the captured code, which passes', async () => {
    const { report, line } = await judgedEvents(made, [], [pastLds()]);
    expect(report).toMatchObject({ verdict: 'pass', code: 'captured', past_lds: [{ in_captured: true }] });
    expect(line).toMatch(/reads past the end of LDS, as the captured code does/);
  });
});
