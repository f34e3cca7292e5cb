import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { judgedEvents } from './testing/judged-events';

/** A floating-point atomic as kernloop-replay reports it. */
const atomic = (fields: object = {}): object => ({
  event: 'float_atomic',
  region: 'r1',
  offset_in_target: 8,
  address: '0x2008',
  bytes: 4,
  instruction: 'global_atomic_add_f32 v0, v1, s[0:1]',
  effect: 'none',
  ...fields,
});

describe('a floating-point atomic that does nothing on the real GPU', () => {
  const made = reproducerForEachTest();
  beforeEach(() => void writeVariant(made.workspace));

  it.each([false, true])('fails with its instruction and place (in the adverse order: %s)', async (isAdverse) => {
    const { report, line } = await judgedEvents(made, [atomic(), atomic({ offset_in_target: 12 })], [], isAdverse);
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, differing_bytes: 0 });
    expect(report.float_atomics).toMatchObject([{ region: 'r1', offset: 8, address: '0x2008', effect: 'none' }]);
    expect(line).toMatch(
      /^Result: FAIL \(`global_atomic_add_f32 v0, v1, s\[0:1\]` at r1 at offset 8: this GPU leaves out/,
    );
  });

  it('is not held against the variant where the captured code has one in the same memory', async () => {
    const { report, line } = await judgedEvents(made, [atomic()], [atomic({ offset_in_target: 0 })]);
    expect(report.float_atomics).toBeUndefined();
    expect(line).toMatch(/^Result: PASS/);
  });

  it('fails although the captured code has one in other memory', async () => {
    const { report } = await judgedEvents(made, [atomic()], [atomic({ region: 'r0' })]);
    expect(report).toMatchObject({ verdict: 'fail', float_atomics: [{ region: 'r1' }] });
  });

  it('is named beside the verdict where the capture does not tell what memory it is', async () => {
    const { report, line } = await judgedEvents(made, [atomic({ effect: 'unknown_memory' })]);
    expect(report).toMatchObject({ verdict: 'pass', float_atomics: [{ effect: 'unknown_memory' }] });
    expect(line).toMatch(
      /; NOT judged: whether `global_atomic_add_f32 .*` at r1 takes effect: it does nothing on this GPU if the memory is/,
    );
  });
});
