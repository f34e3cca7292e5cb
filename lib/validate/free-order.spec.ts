import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag, passed } from '../testing/fake-programs';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

/** Native results for arrays that threads fill in any order, and what the user declares about them. */
describe('arrays in free order', () => {
  let workspace: TestWorkspace;
  const permuted = (region: string): object => ({
    region,
    offset: 0,
    dtype: 'u32',
    count: 16,
    min: [],
    max: [],
    permuted: true,
    records: [{ bytes: 4, offset: 0, count: 16, order: 0, certain: true }],
  });
  const array = (region: string, fields: object = {}): object => ({
    region,
    offset: 0,
    bytes: 64,
    record_bytes: 4,
    ...fields,
  });
  const order = (...arrays: object[]): object => ({ event: 'free_order', verdict: 'same', arrays });

  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const judged = async (events: readonly object[], overrides: object = {}): Promise<FakeDeps> => {
    const reproducer = writeReproducer(workspace, {}, { verdict: 'nondeterministic', varying: [permuted('r0')] });
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay(() => [...events]) }, workspace.native);
    await validate(validateOptionsSchema.parse({ reproducer, ...overrides }), fake);
    return fake;
  };
  const lastLine = (fake: FakeDeps): string => fake.said.result.at(-1) ?? '';

  it.each([
    ['records', [order(array('r0', { record_bytes: 8 }))], '64 bytes in free order: r0 as records of 8 bytes'],
    [
      'arrays that belong together',
      [order(array('r0', { together: true }), array('r1', { together: true }))],
      '128 bytes in free order: r0 and r1 together as records of 4 + 4 bytes',
    ],
    [
      'rows of a matrix',
      [order(array('r0', { together: true, spans: 1200 }), array('r1', { together: true }))],
      '128 bytes in free order: r0 and r1 together as records of 4 + 4 bytes in each of 1,200 parts',
    ],
    [
      'places',
      [order(array('r0'), array('r1', { indexes: 'r0' }))],
      '128 bytes in free order: r0 as records of 4 bytes, r1 as places in r0',
    ],
    [
      'what nothing relates',
      [order(array('r0')), order(array('r1'))],
      '128 bytes in free order: r0 as records of 4 bytes, r1 as records of 4 bytes; NOT judged: how r0 and r1 belong together',
    ],
  ])('are in the first line of the verdict: %s', async (_name, orders, text) => {
    const bytes = 64 * orders.length * (text.startsWith('128') && orders.length === 1 ? 2 : 1);
    const fake = await judged([...orders, { ...passed, varying_bytes: bytes }]);
    expect(lastLine(fake)).toMatch(/^Result: PASS/);
    expect(lastLine(fake)).toContain(text);
    expect(lastLine(fake)).not.toContain('recorded range');
  });

  it('count apart from what is judged by ranges', async () => {
    const fake = await judged([order(array('r0')), { ...passed, varying_bytes: 72 }]);
    expect(lastLine(fake)).toContain('; 8 bytes judged by their recorded range; 64 bytes in free order');
  });

  it('whose records cannot be known are no pass', async () => {
    const fake = await judged([
      { ...order(array('r0')), verdict: 'unknown', reason: 'it cannot be known' },
      { ...passed, verdict: 'vacuous', reason: 'it cannot be known', varying_bytes: 64 },
    ]);
    expect(lastLine(fake)).toMatch(/^Result: VACUOUS \(it cannot be known;/);
  });

  it('have records as long as the user says', async () => {
    const fake = await judged([passed], { record: ['r0=8'] });
    const args = fake.calls.find(({ program }) => program === 'kernloop-replay')?.args ?? [];
    expect(flag(args, '--record')).toMatch(/^r0:0:\d+=8$/);
    expect(flag(args, '--known-varying')).toBe(join(workspace.root, 'kernels/app/saxpy/capture/selfcheck.json'));
  });

  it.each(['r0', 'r0=', 'r0=0', '=8', 'r0=eight', 'nowhere=8'])('refuse --record %s', async (record) => {
    expect(await failure(judged([passed], { record: [record] }))).toMatchObject({ code: 'USAGE' });
  });

  it('are the only ones that have records', async () => {
    const reproducer = writeReproducer(workspace);
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay() }, workspace.native);
    const options = validateOptionsSchema.parse({ reproducer, record: ['r0=8'] });
    expect(await failure(validate(options, fake))).toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/another order/) as string,
    });
  });
});
