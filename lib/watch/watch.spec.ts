import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { differed, fakeReplay, passed } from '../testing/fake-programs';
import { failure } from '../testing/failure';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import type { Measured, Speed, Statistics } from '../replay/result';
import { costLine, judgeInLines } from './judge';
import { watch, type Key } from './watch';

/** Waits for a condition; the limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

describe('watch', () => {
  const made = reproducerForEachTest();
  const path = (...names: string[]): string => join(made.reproducer, ...names);
  const variant = (): string => path('kernel_variant.hip');
  /** The texts of kernel_variant.hip that were judged, in order. */
  let judged: string[];
  let press: (key: Key) => void;
  let stopped: number;
  let fake: FakeDeps;
  let stop: AbortController;
  let watching: Promise<void>;

  beforeEach(() => {
    [judged, stopped, stop] = [[], 0, new AbortController()];
    fake = fakeDeps({}, made.workspace.native, { signal: stop.signal });
  });
  afterEach(async () => {
    press('quit');
    await watching.catch(() => undefined);
    expect(stopped).toBe(1);
  });

  const begin = async (round: (text: string, deps: Deps) => unknown = () => undefined): Promise<void> => {
    watching = watch(made.reproducer, fake, {
      judge: async (deps) => {
        const text = readFileSync(variant(), 'utf8');
        judged.push(text);
        await round(text, deps);
      },
      keys: (pressed) => {
        press = pressed;
        return () => void (stopped += 1);
      },
    });
    watching.catch(() => undefined);
    await until(() => judged.length === 1);
  };
  const save = (text: string): void => writeFileSync(variant(), text);
  /** Waits for one more round than there were, of this text. */
  const judgedAs = async (text: string, rounds: number): Promise<void> => {
    await until(() => judged.at(-1) === text);
    expect(judged).toHaveLength(rounds);
  };

  it('judges what is there, and again what is saved', async () => {
    await begin();
    expect(judged).toEqual(['__global__ void saxpy() {}\n']);
    save('one');
    await judgedAs('one', 2);
    save('two');
    await judgedAs('two', 3);
  });

  it('sees a file that an editor puts in the place of another', async () => {
    await begin();
    for (const text of ['one', 'two']) {
      writeFileSync(path('.kernel_variant.hip.swp'), text);
      renameSync(path('.kernel_variant.hip.swp'), variant());
      await until(() => judged.at(-1) === text);
    }
    expect(judged).toHaveLength(3);
  });

  it('sees headers below deps/, also in a folder that was made meanwhile, and those outside that were read', async () => {
    const outside = made.workspace.write('elsewhere/outside.h', 'one');
    writeVariant(made.workspace, { outside: { '../../../elsewhere/outside.h': '0'.repeat(64) } });
    await begin();
    const places = [path('deps', 'first.h'), path('deps', 'inc', 'second.h'), path('deps', 'inc', 'second.h'), outside];
    for (const [index, place] of places.entries()) {
      mkdirSync(join(place, '..'), { recursive: true });
      writeFileSync(place, `text ${index}`);
      await until(() => judged.length === index + 2);
    }
    rmSync(path('deps'), { recursive: true });
    await until(() => judged.length === places.length + 2);
  });

  it('judges once what is saved in several steps', async () => {
    await begin();
    for (let step = 0; step < 100; step += 1) save(`step ${step}`);
    await judgedAs('step 99', 2);
    save('one more');
    await judgedAs('one more', 3);
  });

  it('judges once more, and only once, what is saved while it judges', async () => {
    let end = (): void => undefined;
    await begin((text) => (text === 'slow' ? new Promise<void>((resolve) => (end = resolve)) : undefined));
    save('slow');
    await judgedAs('slow', 2);
    for (const text of ['one', 'two', 'three']) save(text);
    end();
    await judgedAs('three', 3);
    save('last');
    await judgedAs('last', 4);
  });

  it('says nothing of a round whose text was changed meanwhile, and what went wrong otherwise', async () => {
    await begin((text) => {
      if (text === 'stale') save('broken');
      if (text === 'stale' || text === 'broken')
        throw new KernloopError('COMPILE_FAILED', `${text} did not compile`, 'correct it');
    });
    save('stale');
    await judgedAs('broken', 3);
    await until(() => fake.said.output.length > 0);
    expect(fake.said.output).toEqual(['error: broken did not compile [COMPILE_FAILED]\n  → correct it\n']);
    save('right');
    await judgedAs('right', 4);
  });

  it('does not judge for what a round writes itself, nor for files of editors', async () => {
    await begin(() => {
      made.workspace.write(path('report.json'), '{}');
      made.workspace.write(path('build', 'variant.hsaco'), 'code');
      made.workspace.write(path('capture', 'more'), 'captured');
      made.workspace.write(path('__pycache__', 'kernel.pyc'), 'code');
    });
    for (const name of ['.kernel_variant.hip.swp', 'kernel_variant.hip~', '#kernel_variant.hip#', '4913'])
      writeFileSync(path(name), 'text of an editor');
    for (const [index, text] of ['one', 'two'].entries()) {
      save(text);
      await judgedAs(text, index + 2);
    }
  });

  it('judges again at a key, once for those that come while it judges', async () => {
    let isFirst = true;
    await begin(() => {
      if (isFirst) for (const key of ['again', 'again'] as const) press(key);
      isFirst = false;
    });
    await until(() => judged.length === 2);
    press('again');
    await until(() => judged.length === 3);
  });

  it.each(['a key', 'a signal'])('ends at %s, and stops what runs', async (how) => {
    let signal: AbortSignal | undefined;
    await begin(async (_text, deps) => {
      signal = deps.signal;
      await new Promise((resolve) => deps.signal.addEventListener('abort', resolve));
      throw new KernloopError('INTERRUPTED', 'stopped', '');
    });
    if (how === 'a key') press('quit');
    else stop.abort('SIGINT');
    await watching;
    expect([signal?.aborted, fake.said.output]).toEqual([true, []]);
  });

  it('ends with an error once the folder is gone', async () => {
    await begin();
    rmSync(made.reproducer, { recursive: true });
    expect(await failure(watching)).toMatchObject({ code: 'CONFIG_MISSING', what: `${made.reproducer} was removed` });
  });

  it('ends where a round ends by a bug', async () => {
    await begin(() => {
      throw new TypeError('of us');
    });
    await expect(watching).rejects.toThrow('of us');
  });
});

describe('a round of watch', () => {
  const made = reproducerForEachTest();
  const counters = (wave_instructions: number) => ({
    wave_instructions,
    valu: 40,
    memory_transactions: wave_instructions / 2,
  });
  const sides = [
    { event: 'iteration', index: 0, side: 'captured', counters: counters(1000) },
    { event: 'iteration', index: 0, side: 'variant', counters: counters(500) },
    { event: 'result', verdict: 'pass' },
  ];
  const round = async (verdict: object, isCompared = true): Promise<string[]> => {
    const answer = (args: readonly string[]) => (args.includes('--side-by-side') ? sides : [verdict]);
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay(answer) }, made.workspace.native);
    await judgeInLines(made.reproducer, isCompared, fake);
    return fake.said.result;
  };
  const put = (): string => made.workspace.write(join(made.reproducer, 'optimized.hsaco'), 'code');

  it('says that the captured code is judged, which is not compared with itself', async () => {
    expect(await round(passed)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d the captured code: Result: PASS \(4,096 bytes/),
    ]);
  });

  it('compares what passes with the captured code, unless that is not wanted', async () => {
    put();
    expect(await round(passed)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d Result: PASS \(/),
      expect.stringMatching(
        /^\d\d:\d\d:\d\d wave_instructions 1,000 → 500 \(0.500×\), memory_transactions 500 → 250 \(0.500×\)$/,
      ),
    ]);
    expect(await round(passed, false)).toHaveLength(1);
  });

  it('compares nothing that is wrong', async () => {
    put();
    expect(await round(differed)).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d Result: FAIL \(/)]);
  });

  it('judges no text that was not built: an edit that does not compile has no verdict', async () => {
    writeFileSync(join(made.reproducer, 'kernel_variant.hip'), 'edited');
    expect(await failure(round(passed))).toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  });

  it('tells the times where the device has them', () => {
    const time = (median: number) => ({ median }) as Statistics;
    const speed = { verdict: 'faster', ratio: 0.5 } as Speed;
    const baseline = { duration_ns: time(3000) } as Measured;
    const result = { exit_code: 0, counters: {}, duration_ns: time(1500), baseline, speed };
    expect(costLine(result)).toBe('captured 3.00 µs, variant 1.50 µs, 0.500×: faster');
    expect(costLine({ ...result, speed: null })).toBe('captured 3.00 µs, variant 1.50 µs');
    expect(costLine({ ...result, exit_code: 4 })).toBeNull();
  });
});
