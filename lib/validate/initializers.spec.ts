import { fakeDeps } from '../testing/fake-deps';
import { fakeReplay, passed } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

describe('a module variable whose initializer the variant changes', () => {
  const made = reproducerForEachTest();
  beforeEach(() => void writeVariant(made.workspace));

  const judge = async (events: object[]) => {
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay(() => [...events, passed]) }, made.workspace.native);
    const report = await validate(validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false }), fake);
    return { report, line: fake.said.result.at(-1) ?? '' };
  };
  const kept = { event: 'variable_kept', variable: 'coef' };

  it.each([
    ['an older replay', kept],
    ['an older capture', { ...kept, is_known: false }],
  ])('is named where %s does not tell whether the app sets it', async (_of, event) => {
    const { report, line } = await judge([event]);
    expect(line).toMatch(/^Result: PASS \(.*; NOT judged: whether the app sets coef, whose initializer the variant/);
    expect(report.initializers).toEqual([{ variable: 'coef', judged: 'unknown' }]);
  });

  it('is named where the value of the app was judged', async () => {
    const { report, line } = await judge([{ event: 'variable_restored', variable: 'scale' }]);
    expect(line).toMatch(/^Result: PASS \(.*; judged with the app's value of scale, which it may have set/);
    expect(report.initializers).toEqual([{ variable: 'scale', judged: 'app' }]);
  });

  it('is an edit like any other where the app never set it', async () => {
    const { report, line } = await judge([{ ...kept, is_known: true }]);
    expect(line).not.toMatch(/coef/);
    expect(report.initializers).toEqual([{ variable: 'coef', judged: 'variant' }]);
  });
});
