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
  /** Each launch: of which code it was, and which of these bytes were disturbed. */
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
    it('is as the app had it but where the variant writes', async () => {
      const { verdict, launches } = await judge((disturbed) => (disturbed === 'all' ? events : [passed]));
      expect([verdict, launches]).toEqual(['pass', ['variant as the app', 'variant all', 'variant written']]);
    });

    it('fails where the variant writes it as well', async () => {
      const { verdict, launches } = await judge((disturbed) =>
        disturbed === 'all' ? events : disturbed === 'written' ? [stray, astray] : [passed],
      );
      expect([verdict, launches.slice(2)]).toEqual(['fail', ['variant written', 'captured written']]);
    });

    it('is as the app had it where the variant depends on what it writes there', async () => {
      const { verdict, launches } = await judge((disturbed) => (disturbed ? events : [passed]));
      expect([verdict, launches.slice(2)]).toEqual(['pass', ['variant written', 'variant as the app']]);
    });
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
