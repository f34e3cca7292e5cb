import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag, passed } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { readTraceFolder } from '../trace/folder';
import { traceRunOptionsSchema } from './options';
import { traceRun, traceRunTask } from './trace-run';

const failed = { ...passed, verdict: 'fail', differing_bytes: 4 };
const threads = 4 * 256;

const own = (more = ''): string => `${more}
[probe.every]
level = "thread"
pos = "bra"
before = "mov.u64 %NR0, %clock64;"
[map.every]
level = "thread"
size = 8
cap = "dynamic"
[map.every.regs]
clock = ["u64", "None"]
`;
const table = '[softgpu.every]\nmap = "every"\nat = "instruction:branch"\nsave = { clock = "clock" }\n';

interface Request {
  maps: { name: string; capacity: number; record_bytes: number; level: string }[];
}

describe('trace run', () => {
  const made = reproducerForEachTest();

  /** Like kernloop-replay: unit k has k % 10 records. */
  const deps = (results: { probed?: object; plain?: object } = {}, python = 0): FakeDeps =>
    fakeDeps(
      {
        python3: ({ args }) => {
          writeFileSync(join(dirname(args.at(-1) ?? ''), 'picture.png'), '');
          return python;
        },
        'kernloop-replay': fakeReplay((args) => {
          const output = flag(args, '--probes-output');
          if (output === undefined) return [results.plain ?? passed];
          const { maps } = JSON.parse(readFileSync(flag(args, '--probes') ?? '', 'utf8')) as Request;
          mkdirSync(output, { recursive: true });
          const told = maps.map(({ name, capacity, record_bytes: bytes, level }) => {
            const units = level === 'thread' ? threads : threads / 64;
            const counts = Uint32Array.from({ length: units }, (_, unit) => unit % 10);
            writeFileSync(join(output, `${name}.bin`), Buffer.alloc(units * capacity * bytes));
            writeFileSync(join(output, `${name}.counts.bin`), counts);
            const kept = counts.reduce((sum, count) => sum + Math.min(count, capacity), 0);
            const dropped = counts.reduce((sum, count) => sum + count, 0) - kept;
            const files = { file: `${name}.bin`, counts_file: `${name}.counts.bin` };
            return { name, units, unit_bytes: capacity * bytes, kept, dropped, ...files };
          });
          return [{ event: 'probes', wave_size: 64, maps: told }, results.probed ?? passed];
        }),
      },
      made.workspace.native,
    );
  const options = (more: object = {}) => traceRunOptionsSchema.parse({ reproducer: made.reproducer, ...more });
  const write = (name: string, text: string): string => {
    const path = join(made.reproducer, name);
    writeFileSync(path, text);
    return path;
  };
  const requests = (fake: FakeDeps): (number | undefined)[] =>
    fake.calls
      .map(({ args }) => flag(args, '--probes-output'))
      .filter((output) => output !== undefined)
      .map((output) => (basename(dirname(output)) === 'count' ? 0 : 1));

  it('counts what a dynamic map wants first, gives it that room, and starts each run from restored memory', async () => {
    write('own.toml', own() + table);
    const fake = deps();
    const { launches, folder } = await traceRun(options({ probe: 'own.toml' }), fake);
    expect(requests(fake)).toEqual([0, 1]);
    // 102 complete tens of 0 + … + 9, and 0 + 1 + 2 + 3.
    const all = 102 * 45 + 6;
    expect(launches[0]?.maps).toMatchObject([{ capacity: 9, kept: all, dropped: 0, most: 9, overflowed: 0 }]);
    const { results, probe, log } = readTraceFolder(folder);
    expect(results).toMatchObject([{ bytes: 48 + threads * 9 * 8 }]);
    expect(probe?.maps[0]?.capacity).toBe('dynamic');
    expect(log?.unknown).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, 'probe-run.json'), 'utf8'))).toMatchObject({
      schema: 'kernloop.probe-run/1',
      launches: [
        { dispatch: 1, maps: [{ kept: all }], arrays: [{ name: 'r0', address: '0x400000000000', bytes: 4096 }] },
      ],
    });
  });

  it('gives no more room than it is allowed, and tells what that costs', async () => {
    write('own.toml', own() + table);
    const { launches } = await traceRun(options({ probe: 'own.toml', capacity: 4 }), deps());
    const dropped = 102 * (1 + 2 + 3 + 4 + 5);
    expect(launches[0]?.maps).toMatchObject([{ capacity: 4, dropped, most: 9, overflowed: 102 * 5 }]);
  });

  it('needs no counting run where every map says its size, and writes anew what it wrote before', async () => {
    const fake = deps();
    const first = await traceRun(options(), fake);
    const second = await traceRun(options(), fake);
    expect([requests(fake), first.exit_code, second.launches[0]?.counted]).toEqual([[1, 1], 0, false]);
    expect(dirname(second.folder)).toBe(join(made.reproducer, 'trace', 'block_sched'));
    expect(existsSync(first.folder)).toBe(first.folder === second.folder);
  });

  it.each(['notes.txt', 'Nov22_093015_4711/result/notes.txt', 'Nov22_093015_4711/kernel/mine.ptx'])(
    'refuses to remove %s, which is the user’s, before it traces',
    async (name) => {
      const path = join(made.reproducer, 'trace', 'block_sched', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'mine');
      const fake = deps();
      expect(await failure(traceRun(options(), fake))).toMatchObject({
        code: 'FILE_FOREIGN',
        what: expect.stringContaining(path) as string,
      });
      expect([readFileSync(path, 'utf8'), requests(fake)]).toEqual(['mine', []]);
    },
  );

  it('refuses to remove what the user put there while it traced', async () => {
    const path = join(made.reproducer, 'trace', 'block_sched', 'notes.txt');
    const fake = deps();
    const late = { ...fake, clock: { ...fake.clock, monotonicMs: () => (put(), 0) } };
    const put = (): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'mine');
    };
    expect((await failure(traceRun(options(), late))).code).toBe('FILE_FOREIGN');
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('makes anew what a killed run left half-written', async () => {
    const { folder } = await traceRun(options(), deps());
    rmSync(join(folder, 'probe-run.json'));
    rmSync(join(folder, 'event.log'));
    expect((await traceRun(options(), deps())).exit_code).toBe(0);
  });

  it('adds to no file in the place of --output', async () => {
    const output = write('file', 'mine');
    expect((await failure(traceRun(options({ output }), deps()))).code).toBe('TARGET_EXISTS');
  });

  it('passes for a variant that is wrong without probes too, and fails for one that they change', async () => {
    expect(await traceRun(options(), deps({ probed: failed, plain: failed }))).toMatchObject({ exit_code: 0 });
    const fake = deps({ probed: failed });
    expect(await traceRun(options(), fake)).toMatchObject({
      exit_code: 1,
      launches: [{ verdict: 'fail', verdict_without: 'pass', differing_bytes: 4, differing_bytes_without: 0 }],
    });
    expect(fake.said.result.join()).toContain('FAIL under probes and PASS without');
  });

  it('has no result of a dispatch that faulted, and says so', async () => {
    const fault = { ...passed, verdict: 'limit' };
    const { exit_code: exitCode, launches, folder } = await traceRun(options(), deps({ probed: fault, plain: fault }));
    expect([exitCode, launches[0]?.result, launches[0]?.maps]).toEqual([4, null, []]);
    expect(readTraceFolder(folder).results).toEqual([]);
  });

  it('refuses by name assembly that has no table for the software GPU', async () => {
    const path = write('own.toml', own());
    expect(await failure(traceRun(options({ probe: 'own.toml' }), deps()))).toMatchObject({
      code: 'PROBE_UNSUPPORTED',
      what: expect.stringContaining(`${path}: every: `) as string,
    });
  });

  it('refuses maps that would not fit, with what each wants', async () => {
    const text = own().replace('cap = "dynamic"', 'cap = 2000000') + table;
    write('own.toml', text);
    expect(await failure(traceRun(options({ probe: 'own.toml' }), deps()))).toMatchObject({
      code: 'PROBE_MAPS_TOO_LARGE',
      what: expect.stringMatching(/every 15\.3 GiB \(1,024 threads, 2,000,000 records each\)/) as string,
    });
  });

  describe('with a CALLBACK', () => {
    beforeEach(() => {
      write('own.toml', own('CALLBACK = "look.py"') + table);
      write('look.py', 'print("seen")\n');
    });
    const calls = (fake: FakeDeps) => fake.calls.filter(({ program }) => program === 'python3');

    it('runs nothing that was not allowed', async () => {
      const fake = deps();
      const { launches } = await traceRun(options({ probe: 'own.toml' }), fake);
      expect([calls(fake), launches[0]?.callback]).toEqual([[], 'not run']);
      expect(fake.said.warn.join()).toContain('--allow-callback look.py allows it');
    });

    it('runs no other program than the one that was allowed', async () => {
      const fake = deps();
      expect(await failure(traceRun(options({ probe: 'own.toml', allowCallback: 'other.py' }), fake))).toMatchObject({
        code: 'USAGE',
        what: expect.stringContaining('is look.py, and --allow-callback allows other.py') as string,
      });
      expect(fake.calls).toEqual([]);
    });

    it.each([
      [0, 'succeeded', '[callback] succeed'],
      [3, 'failed', '[callback] failed'],
    ])('runs it on the result; it ends with %d', async (code, said, line) => {
      const fake = deps({}, code);
      const allowed = options({ probe: 'own.toml', allowCallback: 'look.py' });
      const { launches, folder, exit_code: exitCode } = await traceRun(allowed, fake);
      expect(calls(fake).map(({ args }) => args)).toEqual([
        [join(made.reproducer, 'look.py'), join(folder, 'result', '1.000000.bin')],
      ]);
      expect([launches[0]?.callback, exitCode]).toEqual([said, 0]);
      expect(readFileSync(join(folder, 'event.log'), 'utf8')).toContain(line);
      // Files that the program leaves beside the result are replaced with it; files added later are the user's.
      expect(await traceRun(allowed, fake)).toMatchObject({ other_files: ['result/picture.png'] });
      writeFileSync(join(folder, 'result', 'notes.txt'), 'mine');
      expect((await failure(traceRun(allowed, fake))).code).toBe('FILE_FOREIGN');
    });
  });

  it('as a task, takes no probe file that the cache does not see', async () => {
    const outside = made.workspace.path('outside.toml');
    writeFileSync(outside, own() + table);
    expect(await failure(traceRunTask(options({ probe: outside }), deps()))).toMatchObject({ code: 'USAGE' });
    expect(await traceRunTask(options({ probe: 'dmat' }), deps())).toBe(true);
  });
});
