import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

const stray = { event: 'stray', region: 'r0', offset: 4093, bytes: 7 };
const astray = { ...differed, differing_bytes: 7, stray_bytes: 7 };

describe('what the captured code neither reads nor writes', () => {
  const made = reproducerForEachTest({ untouched: [{ region: 'r0', offset: 4093, bytes: 7 }] });
  beforeEach(() => void writeVariant(made.workspace));

  type Says = (disturbed: string | undefined) => object[];
  /** Judges; each launch is given its code and which untouched bytes were disturbed. */
  const judge = async (
    variant: Says,
    captured: Says = () => [passed],
    options: object = {},
  ): Promise<{ verdict: string; line: string; launches: string[]; fake: FakeDeps }> => {
    const replay = fakeReplay((args) =>
      (args.includes('--code-object') ? variant : captured)(flag(args, '--disturb-untouched')),
    );
    const fake = fakeDeps({ 'kernloop-replay': replay }, made.workspace.native);
    const { verdict } = await validate(
      validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false, ...options }),
      fake,
    );
    const launches = fake.calls.map(
      ({ args }) =>
        `${args.includes('--code-object') ? 'variant' : 'captured'} ${flag(args, '--disturb-untouched') ?? 'as the app'}`,
    );
    return { verdict, line: fake.said.result.at(-1) ?? '', launches, fake };
  };

  it('holds other values in the last replay, and one that a variant leaves alone passes', async () => {
    const { verdict, launches } = await judge(() => [passed]);
    expect([verdict, launches]).toEqual(['pass', ['variant as the app', 'variant all']]);
  });

  it('fails a variant that writes it, and says where', async () => {
    const { verdict, line, launches } = await judge((disturbed) => (disturbed ? [stray, astray] : [passed]));
    expect([verdict, line]).toEqual([
      'fail',
      'Result: FAIL (the variant writes 7 bytes at r0 at offset 4,093 that the captured code does not, with what lay there already)',
    ]);
    expect(launches.at(-1)).toBe('captured all');
    expect(JSON.parse(made.workspace.read('kernels/app/saxpy/report.json'))).toMatchObject({
      stray: [{ region: 'r0', offset: 4093, bytes: 7 }],
    });
  });

  it('holds nothing against a variant where the captured code does so in this order, too', async () => {
    const both: Says = (disturbed) => (disturbed ? [stray, astray] : [passed]);
    expect(await judge(both, both)).toMatchObject({ verdict: 'pass' });
    expect((await judge(both, both)).launches.at(-1)).toBe('variant as the app');
  });

  describe.each([
    ['gives another result by what it reads there', [difference, differed]],
    [
      'follows what it reads there',
      [
        { event: 'fault', kind: 'memory_access' },
        { ...passed, verdict: 'fault' },
      ],
    ],
  ])('of a variant that %s', (_what, events) => {
    it('is as the app had it but where the variant writes, or reads blocks of 0', async () => {
      const { verdict, launches } = await judge((disturbed) => (disturbed === 'all' ? events : [passed]));
      expect([verdict, launches]).toEqual([
        'pass',
        ['variant as the app', 'variant all', 'variant zeros', 'variant written'],
      ]);
    });

    it('fails where the variant writes it as well', async () => {
      const { verdict, launches } = await judge((disturbed) =>
        disturbed === 'all' ? events : disturbed === 'written' ? [stray, astray] : [passed],
      );
      expect([verdict, launches.slice(3)]).toEqual(['fail', ['variant written', 'captured written']]);
    });

    it('is as the app had it where the variant depends on what it writes there', async () => {
      const { verdict, launches } = await judge((disturbed) =>
        disturbed && disturbed !== 'zeros' ? events : [passed],
      );
      expect([verdict, launches.slice(3)]).toEqual(['pass', ['variant written', 'variant as the app']]);
    });
  });

  const read = { event: 'untouched_read', region: 'r0', offset: 4032, address: '0x400000000fc0', bytes: 4 };
  const dependent = { ...differed, disturbed: true };
  const reading = (mode: string | undefined): object[] =>
    mode === 'zeros' ? [read, difference, dependent] : mode ? [difference, differed] : [passed];

  it('fails a variant whose result depends on what it reads in blocks of 0, and says where', async () => {
    const { verdict, line, launches } = await judge(reading);
    expect([verdict, line]).toEqual([
      'fail',
      'Result: FAIL (the result depends on 4 bytes at r0 at offset 4,032 (0x400000000fc0) that the captured code neither reads nor writes: the app did not write them before this launch, or wrote 0, and memory is not zero by contract; --may-read-untouched is for an app that always writes 0 there; 4 of 4,096 bytes compared with what the app computed differ)',
    ]);
    expect(launches).toEqual(['variant as the app', 'variant all', 'variant zeros', 'captured all']);
    expect(JSON.parse(made.workspace.read('kernels/app/saxpy/report.json'))).toMatchObject({
      untouched_reads: [{ region: 'r0', offset: 4032, address: '0x400000000fc0', bytes: 4 }],
    });
  });

  it.each([
    ['fault', [{ event: 'fault', kind: 'memory_access' }]],
    ['limit', []],
  ])('says so of a variant that ends with a %s by what it reads there', async (verdict, events) => {
    const { line, ...outcome } = await judge((mode) =>
      mode === undefined ? [passed] : [read, ...events, { ...passed, verdict, disturbed: mode === 'zeros' }],
    );
    expect([outcome.verdict, line]).toEqual([verdict, expect.stringContaining('the result depends on 4 bytes at r0')]);
  });

  it('passes a variant that reads 0 there and does not depend on it', async () => {
    const { verdict, line } = await judge((mode) => (mode === 'zeros' ? [read, passed] : [passed]));
    expect([verdict, line]).toEqual(['pass', expect.not.stringContaining('untouched')]);
  });

  it('passes it with --may-read-untouched, and says ahead of all what it did not judge', async () => {
    const { verdict, line } = await judge(reading, undefined, { mayReadUntouched: true });
    expect([verdict, line]).toEqual([
      'pass',
      expect.stringMatching(
        /^Result: PASS \(races NOT judged \(adverse is off\); NOT judged with other values in 4 bytes at r0 at offset 4,032 \(0x400000000fc0\) that the captured code neither reads nor writes, on which the result depends \(--may-read-untouched\); 4,096 bytes/,
      ),
    ]);
  });

  it('fails what it writes there with --may-read-untouched, too', async () => {
    const both = (mode: string | undefined): object[] =>
      mode === 'written' ? [stray, astray] : mode === 'all' ? [difference, differed] : reading(mode);
    expect(await judge(both, undefined, { mayReadUntouched: true })).toMatchObject({
      verdict: 'fail',
      line: expect.stringContaining('the variant writes 7 bytes at r0') as string,
    });
  });

  it('holds no read against a variant where the captured code depends on it in this order, too', async () => {
    const { verdict, launches } = await judge(reading, (mode) => (mode ? [difference, differed] : [passed]));
    expect([verdict, launches.at(-1)]).toEqual(['pass', 'variant as the app']);
  });

  it('is left alone where the variant is wrong already', async () => {
    const { verdict, launches } = await judge(() => [difference, differed]);
    expect([verdict, launches]).toEqual(['fail', ['variant as the app', 'variant as the app']]);
  });

  it('is judged with one replay, too', async () => {
    const { verdict } = await judge((disturbed) => (disturbed ? [stray, astray] : [passed]), undefined, { replays: 1 });
    expect(verdict).toBe('fail');
  });
});
