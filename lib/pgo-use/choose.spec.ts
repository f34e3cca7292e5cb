import type { Deps } from '../deps/deps';
import { choose } from './choose';
import type { Figures, JudgedVariant, ChosenVariant } from './result';
import { printVariants } from './text';

const counted = (millions: number, dwords: number): Figures => ({
  wave_instructions: millions * 1e6,
  scratch_wave_dwords: dwords,
  time_ratio: null,
  time_ci95: null,
});

const timed = (low: number, ratio: number, high: number): Figures => ({
  ...{ wave_instructions: null, scratch_wave_dwords: null, time_ratio: ratio },
  time_ci95: { low, high },
});

const variant = (name: string, figures: Figures, more: Partial<JudgedVariant> = {}): JudgedVariant => ({
  ...{ name, file: `pgo/variants/${name}.hsaco`, sha256: 'a', verdict: 'pass', summary: 'as the app', judgement: '' },
  ...{ spill_dwords: 0, score: null },
  ...figures,
  ...more,
});

describe('what pgo-use keeps', () => {
  it('is the right variant with the fewest wave-instructions that is worse than nothing before it', () => {
    const choice = choose(counted(9, 20), [
      variant('base', counted(7.68, 16)),
      variant('off', counted(6.56, 8)),
      variant('uniform', counted(6.56, 8)),
      variant('flatten', counted(7, 9)),
      variant('wave', counted(4.96, 1)),
    ]);
    expect(choice.kept).toBe('wave');
    expect(choice.judgements['flatten']).toBe('right and better, but not as good as wave');
    // The worth of the profile comes first.
    expect(choice.reason).toMatch(
      /^the profile's build, gate wave: against base \(the same compiler without a profile\) wave-instructions 4,960,000 instead of 7,680,000 \(−35\.4%\)[^]*; against the captured code wave-instructions 4,960,000 instead of 9,000,000 \(−44\.9%\)/,
    );
  });

  it('is called what it is where the gate is off, and equal builds are called the same', () => {
    const choice = choose(counted(9, 0), [
      variant('base', counted(8, 0)),
      variant('off', counted(7, 0)),
      variant('uniform', counted(7, 0)),
      variant('wave', counted(7.5, 0)),
    ]);
    // A kernel without private memory has no figures of it.
    expect(choice.reason).toBe(
      "the profile's build, gate off: against base (the same compiler without a profile) wave-instructions 7,000,000 instead of 8,000,000 (−12.5%); against the captured code wave-instructions 7,000,000 instead of 9,000,000 (−22.2%)",
    );
    expect(choice.judgements).toMatchObject({
      ...{ off: 'kept', uniform: 'the same as off', wave: 'right and better, but not as good as off' },
    });
  });

  it('is never a wrong one, however fast', () => {
    const wrong = { verdict: 'fail', summary: '12 bytes differ' };
    const choice = choose(counted(9, 20), [
      variant('base', counted(8, 16)),
      variant('off', counted(1, 0), wrong),
      variant('wave', counted(7, 8)),
    ]);
    expect(choice).toMatchObject({ kept: 'wave', judgements: { off: 'not right: 12 bytes differ' } });
  });

  it.each([
    ['more scratch for fewer instructions', counted(33.3, 52), /worse than .*scratch wave-dwords 52 instead of 48/],
    ['fewer dwords for more instructions', counted(40, 40), /worse than .*wave-instructions/],
    ['the same', counted(36.8, 48), /no better than the captured code/],
  ])('is nothing where all that is offered is %s', (_name, figures, why) => {
    const choice = choose(counted(36.8, 48), [variant('base', counted(36.8, 48)), variant('off', figures)]);
    expect([choice.kept, choice.reason]).toEqual([null, expect.stringMatching(why)]);
  });

  it('is nothing where a profile only makes good what the newer compiler does worse', () => {
    const choice = choose(counted(5, 0), [variant('base', counted(8, 16)), variant('wave', counted(6, 4))]);
    expect(choice).toMatchObject({
      kept: null,
      reason: expect.stringMatching(/^wave: worse than the captured code/) as string,
    });
  });

  it('is nothing where only the newer compiler is better, and not the profile', () => {
    const choice = choose(counted(9, 16), [variant('base', counted(8, 8)), variant('wave', counted(8, 8))]);
    expect(choice).toMatchObject({
      kept: null,
      judgements: {
        base: expect.stringMatching(/^the same compiler without a profile; better than the captured code$/) as string,
        wave: 'no better than base',
      },
    });
  });

  it('has each reason once where several builds have the same', () => {
    const choice = choose(counted(9, 16), [
      variant('base', counted(8, 8)),
      variant('off', counted(8, 8)),
      variant('uniform', counted(8.5, 8)),
      variant('wave', counted(8, 8)),
    ]);
    expect(choice.reason).toMatch(/^off, wave: no better than base; uniform: worse than base: [^;]*$/);
  });

  it('prints each judgement once, where nothing is kept and where something is', () => {
    const lines = (off: Figures): string[] => {
      const said: string[] = [];
      const variants = [variant('base', counted(8, 8)), variant('off', off), variant('wave', counted(8, 8))];
      const { kept, selector, reason, judgements } = choose(counted(9, 16), variants);
      const judged = variants.map((one) => ({ ...one, judgement: judgements[one.name] ?? '' }));
      const result = { captured: counted(9, 16), variants: judged, kept, selector, reason, placed: null };
      const report = { result: (line: string) => void said.push(line) };
      printVariants(result as unknown as ChosenVariant, { report } as unknown as Pick<Deps, 'report'>);
      return said;
    };
    const of = (all: readonly string[], words: string): string[] => all.filter((line) => line.includes(words));
    const refused = lines(counted(8, 8));
    expect(of(refused, 'no better than base')).toEqual(['Nothing is kept: off, wave: no better than base']);
    expect(of(refused, 'better than the captured code')).toHaveLength(1);
    const kept = lines(counted(7, 7));
    expect(of(kept, 'no better than base')).toEqual(['wave: no better than base']);
    expect(of(kept, 'Kept: ')).toHaveLength(1);
  });

  it('says what to do where the other compiler rounds otherwise', () => {
    const wrong = { verdict: 'fail', summary: '3 bytes differ' };
    const choice = choose(counted(9, 16), [
      variant('base', counted(8, 8), wrong),
      variant('wave', counted(8, 8), wrong),
    ]);
    expect(choice).toMatchObject({ kept: null, reason: expect.stringMatching(/rtol/) as string });
  });

  it('on hardware is what is faster than both by intervals that do not meet', () => {
    const base = variant('base', timed(0.93, 0.95, 0.97));
    const choose1 = (figures: Figures) => choose(timed(1, 1, 1), [base, variant('wave', figures)]);
    const captured: Figures = { ...timed(1, 1, 1), time_ratio: null, time_ci95: null };
    expect(choose(captured, [base, variant('use', timed(0.8, 0.82, 0.84))])).toMatchObject({
      kept: 'use',
      reason:
        "the profile's build: 0.863× the time of base (the same compiler without a profile); 0.820× the time of the captured code, of which base takes 0.950×",
    });
    expect(choose(captured, [base, variant('wave', timed(0.92, 0.94, 0.96))])).toMatchObject({
      kept: null,
      judgements: { wave: 'not measurably faster than base' },
    });
    expect(choose1(timed(1.1, 1.2, 1.3)).judgements['wave']).toBe('slower than the captured code');
    const few = choose(captured, [base, variant('wave', { ...timed(0, 0.5, 1), time_ci95: null })]);
    expect(few).toMatchObject({ kept: null, judgements: { wave: expect.stringMatching(/too few samples/) as string } });
  });

  it('tells what the static selector would have taken: the lowest score, of equals the first', () => {
    const candidates = [
      variant('base', counted(9, 9), { score: 100 }),
      variant('off', counted(8, 8), { score: 40 }),
      variant('wave', counted(7, 7), { score: 40 }),
    ];
    expect(choose(counted(9, 9), candidates)).toMatchObject({ kept: 'wave', selector: 'off' });
    expect(choose(counted(9, 9), [...candidates, variant('flatten', counted(9, 9))]).selector).toBeNull();
  });
});
