import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fakeDeps } from '../testing/fake-deps';
import { differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

const there = { ...differed, machine_in_use: true };

describe('a launch on a machine in use', () => {
  const made = reproducerForEachTest({ untouched: [{ region: 'r0', offset: 4093, bytes: 7 }] });
  beforeEach(() => void writeVariant(made.workspace));

  type Says = (inUse: boolean, args: readonly string[]) => object[];
  const judge = async (variant: Says, captured: Says = () => [passed], options: object = {}) => {
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) =>
          (args.includes('--code-object') ? variant : captured)(args.includes('--machine-in-use'), args),
        ),
      },
      made.workspace.native,
    );
    const report = await validate(
      validateOptionsSchema.parse({ reproducer: made.reproducer, adverse: false, ...options }),
      fake,
    );
    const launches = fake.calls.map(({ args }) => [
      args.includes('--code-object') ? 'variant' : 'captured',
      flag(args, '--machine-in-use'),
    ]);
    return { report, line: fake.said.result.at(-1) ?? '', launches };
  };

  it('goes along with the first replay, by a seed of capture and variant', async () => {
    const { report, launches, line } = await judge(() => [passed]);
    const seed = launches[0]?.[1];
    expect(Number(seed)).toBeGreaterThan(0);
    expect(launches).toEqual([
      ['variant', seed],
      ['variant', undefined],
    ]);
    expect([report.verdict, report.machine_in_use]).toEqual(['pass', { seed: Number(seed), judged: true }]);
    expect(line).not.toContain('machine in use');
    expect((await judge(() => [passed])).launches[0]?.[1]).toBe(seed);
  });

  it.each([1, 2])('fails a variant that is right everywhere else, in %d replays', async (replays) => {
    const { report, launches, line } = await judge((inUse) => [inUse ? there : passed], undefined, { replays });
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1, machine_in_use: { judged: true } });
    expect(report.replays[0]).toMatchObject({ verdict: 'fail', machine_in_use: true });
    expect(line).toMatch(
      /^Result: FAIL \(4 of 4,096 bytes .* differ on a machine in use .*; the captured code gives the same there/,
    );
    expect(launches.filter(([code, seed]) => code === 'captured' && seed !== undefined)).toHaveLength(1);
  });

  it('is not held against a variant where the captured code gives another result there, and says so', async () => {
    const both: Says = (inUse) => [inUse ? there : passed];
    const { report, line } = await judge(both, both);
    expect(report).toMatchObject({ verdict: 'pass', machine_in_use: { judged: false } });
    expect(line).toContain('on a machine in use the captured code itself gives another result');
  });

  it('leaves the word to what is wrong elsewhere as well', async () => {
    const { line } = await judge((inUse) => [inUse ? there : { ...differed, differing_bytes: 8 }]);
    expect(line).toMatch(/^Result: FAIL \(8 of 4,096 bytes/);
    expect(line).not.toContain('machine in use');
  });

  it('is not asked of the captured code', async () => {
    rmSync(join(made.reproducer, 'build'), { recursive: true });
    const { report, launches } = await judge(() => [passed]);
    expect(launches.every(([, seed]) => seed === undefined)).toBe(true);
    expect([report.code, report.machine_in_use]).toEqual(['captured', null]);
  });
});
