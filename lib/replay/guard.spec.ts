import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { describeNear, guardLine } from './guard';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const exact = {
  is_exact: true,
  granule: 4096,
  padding_bytes: 6592,
  closed_bytes: 6592,
  neighbours_unmapped: 2,
  neighbours_in_use: 0,
};

describe('the guard around captured memory', () => {
  it('says what it protects, and what it cannot', () => {
    expect(guardLine(exact)).toBe('guard: every access outside of the regions faults, to the dword');
    const coarse = guardLine({ ...exact, is_exact: false, granule: 2 << 20, neighbours_in_use: 1 });
    expect(coarse).toContain('accesses outside of the 2.0 MiB granules of the regions fault');
    expect(coarse).toContain('writes are found afterwards, reads are not');
    expect(coarse).toContain('1 neighbouring granules are in use');
  });

  it.each([
    ['behind', 0, '0 bytes behind region r1 (800 B)'],
    ['before', 1, '1 byte before region r1 (800 B)'],
    ['inside', 796, '796 bytes into region r1 (800 B)'],
  ] as const)('names a place %s a region', (position, distance, text) => {
    expect(describeNear({ region: 'r1', position, distance, size: 800 })).toBe(text);
  });

  describe('in a replay', () => {
    const made = reproducerForEachTest();
    const deps = (...events: object[]): FakeDeps =>
      fakeDeps({ 'kernloop-replay': fakeReplay(() => events) }, made.workspace.native);
    const run = (options: object, fake: FakeDeps) =>
      replay(replayOptionsSchema.parse({ reproducer: made.reproducer, ...options }), fake);

    it('names the region in the result line', async () => {
      const near = { region: 'r0', position: 'behind', distance: 4, size: 4096 };
      const fake = deps(
        { event: 'guard', ...exact },
        { event: 'fault', kind: 'memory_access', address: '0x10', text: 'a write', near },
        { event: 'result', verdict: 'fault' },
      );
      const result = await run({ guard: true }, fake);
      expect(fake.calls[0]?.args).toContain('--guard');
      expect(result).toMatchObject({ exit_code: 4, guard: exact });
      expect(fake.said.result.at(-1)).toBe(
        'Result: FAIL (the device faulted: a write: 4 bytes behind region r0 (4.0 KiB))',
      );
    });

    it('is followed by what to try, where the replay knows', async () => {
      const fake = deps(
        { event: 'fault', kind: 'memory_access', address: '0x18', text: 'a read', hint: 'launch it with --launch hip' },
        { event: 'result', verdict: 'fault' },
      );
      await run({}, fake);
      expect(fake.said.result.at(-1)).toBe('Result: FAIL (the device faulted: a read; launch it with --launch hip)');
    });

    it('is there only on request', async () => {
      const fake = deps({ event: 'result', verdict: 'ran' });
      expect((await run({}, fake)).guard).toBeNull();
      expect(fake.calls[0]?.args).not.toContain('--guard');
    });

    it('leaves launching to HIP where told to, and says so', async () => {
      const fake = deps({ event: 'result', verdict: 'ran' });
      expect((await run({ launch: 'hip' }, fake)).launch).toBe('hip');
      expect(flag(fake.calls[0]?.args ?? [], '--launch')).toBe('hip');
      expect(fake.said.result).toContain('launched by the HIP runtime');
      expect((await run({}, fake)).launch).toBe('direct');
      expect(fake.calls[1]?.args).not.toContain('--launch');
    });

    it('passes what is to be dumped on', async () => {
      const fake = deps({ event: 'result', verdict: 'ran' });
      await run({ dump: '/d', dumpOnly: ['r0', 'counter'], dumpTime: 'pre' }, fake);
      const args = fake.calls[0]?.args ?? [];
      expect([flag(args, '--dump'), flag(args, '--dump-time')]).toEqual(['/d', 'pre']);
      expect(args.filter((_, index) => args[index - 1] === '--dump-only')).toEqual(['r0', 'counter']);
    });

    it.each([{ dumpOnly: ['r0'] }, { dumpTime: 'pre' }])('does not take %j without a folder', async (options) => {
      const fake = deps({ event: 'result', verdict: 'ran' });
      expect(await failure(run(options, fake))).toMatchObject({ code: 'USAGE' });
      expect(fake.calls).toEqual([]);
    });
  });
});
