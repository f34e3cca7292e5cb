import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag } from '../testing/fake-programs';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import { readLensContent, replayThroughLens, type Lens, type LensReplayOptions } from './lens';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const lens: Lens = {
  variables: [{ name: '__profc_all_1' }, { prefix: '__profd' }],
  buffers: [{ id: 'm0', bytes: 64, fill: 255 }],
  parameters: [{ buffer: 'm0' }, { u64: 2n ** 63n + 1n }, { u32: 7 }],
};
const counters = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]);
const passed = { event: 'result', verdict: 'pass', compared_bytes: 8, differing_bytes: 0, lens_bytes: 72 };

describe('a replay through a lens', () => {
  const made = reproducerForEachTest();

  /** Writes the results as kernloop-replay does. */
  const deps = (...results: object[]): FakeDeps =>
    fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) => {
          const folder = flag(args, '--lens-output') ?? '';
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, '__profc_all_1.bin'), counters);
          const sha256 = createHash('sha256').update(counters).digest('hex');
          return [
            { event: 'iteration', index: 0, counters: { wave_instructions: 42_000 } },
            {
              event: 'lens',
              bytes: 72,
              variables: [{ name: '__profc_all_1', file: '__profc_all_1.bin', address: '0x1000', bytes: 8, sha256 }],
              buffers: [{ id: 'm0', file: 'm0.bin', address: '0x2000', bytes: 64, sha256 }],
            },
            results.shift() ?? passed,
          ];
        }),
      },
      made.workspace.native,
    );
  const options = (more: Partial<LensReplayOptions> = {}): LensReplayOptions => ({
    ...replayOptionsSchema.parse({ reproducer: made.reproducer, variant: writeVariant(made.workspace) }),
    lens,
    output: made.workspace.path('out'),
    ...more,
  });
  const argsOf = (fake: FakeDeps, call = 0): readonly string[] => fake.calls[call]?.args ?? [];

  it('writes down what belongs to it, and hands back what was read', async () => {
    const fake = deps();
    const [result, ...others] = await replayThroughLens(options({ judge: true }), fake);
    expect(others).toEqual([]);
    expect(result).toMatchObject({
      dispatch: 1,
      verdict: 'pass',
      comparedBytes: 8,
      lensBytes: 72,
      fault: null,
      buffers: [{ name: 'm0', bytes: 64 }],
    });
    const [content] = result?.variables ?? [];
    if (!content) throw new Error('nothing was read back');
    expect(content).toMatchObject({ name: '__profc_all_1', address: '0x1000', bytes: 8 });
    expect(readLensContent(content, 8)).toEqual(counters);
    expect(() => readLensContent(content, 7)).toThrow('7 were expected at most');
    writeFileSync(content.path, 'short');
    expect(() => readLensContent(content, 8)).toThrow('has 5 bytes');
    const file: unknown = JSON.parse(readFileSync(flag(argsOf(fake), '--lens') ?? '', 'utf8'));
    expect(file).toEqual({
      schema: 'kernloop.lens/1',
      variables: lens.variables,
      buffers: [{ id: 'm0', bytes: 64, fill: '0xff' }],
      parameters: [{ buffer: 'm0' }, { u64: '0x8000000000000001' }, { u32: '0x7' }],
    });
    expect(argsOf(fake)).toContain('--compare');
  });

  it('compares nothing unless it is to judge', async () => {
    const fake = deps({ event: 'result', verdict: 'ran' });
    const [result] = await replayThroughLens(options(), fake);
    expect(result?.verdict).toBe('ran');
    expect(argsOf(fake)).not.toContain('--compare');
  });

  it('gives what it adds ten times the instructions, and one thread a second try', async () => {
    const limitOf = async (limitFactor: number) => {
      const fake = deps({ event: 'result', verdict: 'limit' }, { event: 'result', verdict: 'limit' });
      const more = { ...options(), limitFactor, output: made.workspace.path(`out${limitFactor}`) };
      const [result] = await replayThroughLens(more, fake);
      expect(result).toMatchObject({ verdict: 'limit' });
      expect(fake.calls.map(({ args }) => flag(args, '--threads'))).toEqual([undefined, '1']);
      return Number(flag(argsOf(fake), '--limit-wave-instructions'));
    };
    // The captured dispatch executed 1,000 wave-instructions; without a lens the minimum limit is 20 million.
    expect(await limitOf(10)).toBe(200_000_000);
    expect(await limitOf(40_000)).toBe(400_000_000);
  });

  it('tells of a fault, and of nothing that was there then', async () => {
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay(() => [
          { event: 'fault', kind: 'out_of_bounds_write', text: 'wrote behind lens:m0' },
          { event: 'result', verdict: 'fault', lens_bytes: 72 },
        ]),
      },
      made.workspace.native,
    );
    const [result] = await replayThroughLens(options(), fake);
    expect(result).toMatchObject({ verdict: 'fault', fault: 'wrote behind lens:m0', variables: [], buffers: [] });
  });

  it('overwrites nothing of an earlier one', async () => {
    await replayThroughLens(options(), deps());
    const fake = deps();
    expect(await failure(replayThroughLens(options(), fake))).toMatchObject({ code: 'TARGET_EXISTS' });
    expect(fake.calls).toEqual([]);
    await replayThroughLens(options({ output: made.workspace.path('another') }), fake);
    expect(fake.calls).toHaveLength(1);
  });

  it('takes no captured code, which has nothing of a lens', async () => {
    const fake = deps();
    expect(await failure(replayThroughLens(options({ variant: 'none' }), fake))).toMatchObject({ code: 'USAGE' });
    expect(fake.calls).toEqual([]);
  });

  it('is an option of replay, which says what was not judged', async () => {
    const file = made.workspace.write('lens.json', {});
    const run = (more: object, fake: FakeDeps) =>
      replay(
        replayOptionsSchema.parse({ ...options(), lens: file, lensOutput: made.workspace.path('out'), ...more }),
        fake,
      );
    const fake = deps({ event: 'result', verdict: 'ran' });
    const result = await run({}, fake);
    expect(flag(argsOf(fake), '--lens')).toBe(file);
    expect(flag(argsOf(fake), '--limit-wave-instructions')).toBe('200000000');
    expect(result.lens).toEqual({
      folder: made.workspace.path('out'),
      bytes: 72,
      variables: [{ name: '__profc_all_1', file: '__profc_all_1.bin', bytes: 8 }],
      buffers: [{ name: 'm0', file: 'm0.bin', bytes: 64 }],
    });
    expect(fake.said.result.join('\n')).toContain('lens: 72 bytes not judged, of 1 variables and 1 buffers: ');
    for (const wrong of [{ lensOutput: undefined }, { lens: undefined }, { variant: 'none' }]) {
      const refusing = deps();
      expect(await failure(run(wrong, refusing))).toMatchObject({ code: 'USAGE' });
      expect(refusing.calls).toEqual([]);
    }
  });
});
