import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { TestWorkspace, writeReproducer, writeVariant } from '../testing/workspace';
import { fillsOf } from './fills';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

const overwritten = [{ region: 'r0', offset: 0, bytes: 4 }];

describe('what launches begin with where the captured code does not look', () => {
  it.each([
    [2, true, [['captured', 'huge'], ['opposite']]],
    [
      2,
      false,
      [
        ['captured', 'huge'],
        ['opposite', 'zeros'],
      ],
    ],
    [1, false, [['captured', 'huge', 'opposite', 'zeros']]],
    [1, true, [['captured', 'huge', 'opposite']]],
    [4, true, [['captured', 'huge'], ['opposite'], ['huge'], ['opposite']]],
  ])('has every value in %d replays (adverse order %s)', (replays, adverse, expected) => {
    expect(fillsOf({ overwritten }, replays, adverse)).toEqual(expected);
  });

  it('is what the app had where nothing is known', () => {
    expect(fillsOf({}, 2, true)).toEqual([]);
    expect(fillsOf({ overwritten: [] }, 2, true)).toEqual([]);
  });
});

describe('validate, of a kernel that a loop repeats', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace, {}, { overwritten });
    writeVariant(workspace);
  });
  afterEach(() => workspace.dispose());

  const rewritten = { ...passed, changed_bytes: 0, overwritten_bytes: 64, rewritten_bytes: 64 };
  const judge = async (
    variant: (args: readonly string[]) => object[],
    captured: (args: readonly string[]) => object[] = () => [rewritten],
  ): Promise<{ fake: FakeDeps; line: string; verdict: string; fills: unknown[] }> => {
    const replay = fakeReplay((args) => (args.includes('--code-object') ? variant(args) : captured(args)));
    const fake = fakeDeps({ 'kernloop-replay': replay }, workspace.native);
    const { verdict } = await validate(validateOptionsSchema.parse({ reproducer, adverse: false }), fake);
    const fills = fake.calls.map(({ args }) => [args.includes('--code-object'), flag(args, '--fills')]);
    return { fake, verdict, line: fake.said.result.at(-1) ?? '', fills };
  };

  it('says how much was judged by launches that began with other values', async () => {
    const { line, fills } = await judge(() => [rewritten]);
    expect(line).toBe(
      'Result: PASS (races NOT judged (adverse is off); 4,096 bytes compared with what the app computed in 2 replays, 0 of them changed by the kernel and 64 overwritten with what they held)',
    );
    expect(fills).toEqual([
      [true, 'captured,huge'],
      [true, 'opposite,zeros'],
    ]);
  });

  it('says what was not judged beside it', async () => {
    reproducer = writeReproducer(workspace, {}, { overwritten, reread: [{ region: 'r0', bytes: 8 }] });
    writeVariant(workspace);
    const { line } = await judge(() => [rewritten]);
    expect(line).toContain(
      'NOT judged: whether 8 bytes of r0 are written, which held the same before and are read as well',
    );
    const changed = await judge(() => [{ ...passed, overwritten_bytes: 64, rewritten_bytes: 0 }]);
    expect(changed.line).not.toContain('NOT judged:');
  });

  it('fails what leaves such memory alone, and says that', async () => {
    const { line, fills } = await judge(() => [
      difference,
      { ...differed, fill: 'huge', unwritten_bytes: 4, rewritten_bytes: 64 },
    ]);
    expect(line).toMatch(/^Result: FAIL .*the variant does not write them, and the captured code does/);
    expect(fills).toEqual([
      [true, 'captured,huge'],
      [false, 'captured,huge'],
      [true, 'opposite,zeros'],
      [false, 'opposite,zeros'],
    ]);
  });

  it('says of a variant that reads such memory that it does', async () => {
    const { line, verdict } = await judge(() => [difference, { ...differed, fill: 'huge', unwritten_bytes: 0 }]);
    expect([verdict, line]).toEqual(['fail', expect.stringContaining('the result depends on what memory held')]);
    const fault = { event: 'fault', kind: 'memory', kernel: 'saxpy', text: 'saxpy: illegal address' };
    const stopped = await judge(() => [fault, { ...passed, verdict: 'fault', fill: 'opposite' }]);
    expect([stopped.verdict, stopped.line]).toEqual(['fault', expect.stringMatching(/illegal address.*depends on/)]);
  });

  it('holds nothing against a variant that the captured code does not withstand, either', async () => {
    const unless = (args: readonly string[]): object[] =>
      flag(args, '--fills') ? [difference, { ...differed, fill: 'huge', unwritten_bytes: 0 }] : [passed];
    const { line, verdict } = await judge(unless, unless);
    expect([verdict, line]).toEqual(['pass', expect.stringContaining('that was not judged; capture it again')]);
  });
});
