import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run } from './harness';
import { Workspace } from './in-process';

const source = join(repository, 'e2e', 'fixtures', 'repeats');
const build = join(repository, '.kernloop', 'e2e', 'repeats');
const kernels = ['tile', 'through', 'greatest', 'two_phases'] as const;

interface Row {
  region: string;
  offset: number;
  bytes: number;
  count?: number;
  stride?: number;
}

/** The second launch of each kernel writes the same as the first. */
describe('kernels that a loop repeats', () => {
  let workspace: Workspace;
  const nothing = join(build, 'nothing.hsaco');

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const env = { HIP_PLATFORM: 'amd' };
    const made = join(build, 'repeats');
    workspace.write(
      'nothing.hip',
      readFileSync(join(source, 'repeats.hip'), 'utf8').replace(/^(__global__ void \w+\(.*\) \{)$/gm, '$1 return;'),
    );
    for (const [program, args] of [
      ['cmake', ['-S', source, '-B', build]],
      ['cmake', ['--build', build]],
      ['hipcc', ['--genco', '-O2', '--offload-arch=gfx90a', workspace.path('nothing.hip'), '-o', nothing]],
    ] as const) {
      const outcome = await run(program, args, { env });
      expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    }
    workspace.write('apps/repeats/kernloop.json', {
      name: 'repeats',
      device: 'softgpu',
      command: [made],
      env,
      source,
      compileCommands: join(build, 'compile_commands.json'),
      kernels: kernels.map((name) => ({ name, match: `^${name}\\(`, ordinal: 2 })),
    });
    const outcome = await workspace.kernloop(['extract', '--app', 'apps/repeats']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => workspace.remove());

  const validate = (kernel: string, variant: string) =>
    workspace.kernloop(['validate', '--reproducer', `kernels/repeats/${kernel}`, '--variant', variant]);
  const overwritten = (kernel: string): Row[] =>
    workspace.json<{ overwritten: Row[] }>(`kernels/repeats/${kernel}/capture/selfcheck.json`).overwritten;

  it('are captured with what they overwrite without reading it, to the byte', () => {
    expect(overwritten('tile')).toEqual([{ region: 'r1', offset: 0, bytes: 37 * 4, count: 8, stride: 256 }]);
    const rows = overwritten('through');
    expect(rows.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 8 }, () => 512));
    expect(new Set(rows.map(({ region }) => region)).size).toBe(8);
    expect(overwritten('greatest')).toEqual([]);
    expect(overwritten('two_phases')).toEqual([{ region: 'r2', offset: 0, bytes: 512 }]);
  });

  it.each([
    ['tile', '1,184 overwritten with what they held'],
    ['through', '4,096 overwritten with what they held'],
    [
      'two_phases',
      'NOT judged: whether 512 bytes of between are written, which held the same before and are read as well',
    ],
  ])('%s passes as it is, and fails where it does nothing', async (kernel, said) => {
    const untouched = await validate(kernel, 'none');
    expect([untouched.code, untouched.text]).toEqual([0, expect.stringContaining(said)]);
    const wrong = await validate(kernel, nothing);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining('the variant does not write them')]);
  });

  it('prove nothing where all that they write is read', async () => {
    for (const variant of ['none', nothing]) {
      const { code, text } = await validate('greatest', variant);
      expect([code, text]).toEqual([3, expect.stringContaining('Result: VACUOUS')]);
    }
  });

  describe('without the memory that they do not use', () => {
    const reads = join(build, 'reads.hsaco');
    const capture = 'kernels/repeats/tile/capture';

    beforeAll(async () => {
      workspace.write(
        'reads.hip',
        readFileSync(join(source, 'repeats.hip'), 'utf8').replace(
          'out[y * 64 + x] = in[y * kThreads + x];',
          'out[y * 64 + x] = in[y * kThreads + x] + 0 * reinterpret_cast<const volatile int*>(in)[kRoom - 1 - x];',
        ),
      );
      const compiled = await run(
        'hipcc',
        ['--genco', '-O2', '--offload-arch=gfx90a', workspace.path('reads.hip'), '-o', reads],
        { env: { HIP_PLATFORM: 'amd' } },
      );
      expect([compiled.code, compiled.text]).toEqual([0, expect.any(String)]);
      // While all memory exists, extra reads do not matter.
      const { code, text } = await validate('tile', reads);
      expect([code, text]).toEqual([0, expect.stringContaining('Result: PASS')]);
      workspace.write(`${capture}/notes.txt`, "the user's own");
      const shrunk = await workspace.kernloop(['extract', 'tile', '--app', 'apps/repeats', '--shrink']);
      expect([shrunk.code, shrunk.text]).toEqual([
        0,
        expect.stringContaining('dropped 8.0 KiB that the kernel neither'),
      ]);
    });

    it('lose whole pages that are neither read nor written, which the archive says', () => {
      const { regions } = workspace.json<{ regions: { size: number; dropped: object[] }[] }>(`${capture}/capture.json`);
      const second = { offset: 4096, bytes: 4096 };
      expect(regions.map(({ size, dropped }) => [size, dropped])).toEqual([
        [8192, [second]],
        [8192, [second]],
      ]);
      expect(workspace.json<object>(`${capture}/selfcheck.json`)).toMatchObject({
        verdict: 'verified',
        shrink: { dropped_bytes: 8192, granule: 4096, reason: null },
      });
      expect(overwritten('tile')).toEqual([{ region: 'r1', offset: 0, bytes: 37 * 4, count: 8, stride: 256 }]);
      expect(workspace.read(`${capture}/notes.txt`)).toBe("the user's own");
    });

    it.each([
      ['none', 0, '8,192 bytes were dropped from the capture (--shrink)'],
      [nothing, 1, 'the variant does not write them'],
      [reads, 4, 'into in (8.0 KiB), dropped by --shrink; this memory was dropped from the capture'],
    ])('judge %s as they should', async (variant, code, said) => {
      const judged = await validate('tile', variant);
      expect([judged.code, judged.text]).toEqual([code, expect.stringContaining(said)]);
    });

    it('are replayed, recompiled and left alone as long as --shrink is given', async () => {
      const reproducer = ['--reproducer', 'kernels/repeats/tile'];
      const replayed = await workspace.kernloop(['replay', '--variant', 'none', ...reproducer]);
      expect([replayed.code, replayed.text]).toEqual([0, expect.stringContaining('8.0 KiB were dropped (--shrink)')]);
      const built = await workspace.kernloop(['recompile', ...reproducer]);
      expect([built.code, built.text]).toEqual([
        0,
        expect.stringContaining('it has the machine code of the captured kernel'),
      ]);
      const again = await workspace.kernloop(['extract', 'tile', '--app', 'apps/repeats', '--shrink']);
      expect([again.code, again.text]).toEqual([0, expect.stringContaining('is up to date')]);
      const whole = await workspace.kernloop(['extract', 'tile', '--app', 'apps/repeats']);
      expect([whole.code, whole.text]).toEqual([0, expect.stringContaining('memory was dropped from it')]);
      const judged = await validate('tile', reads);
      expect([judged.code, judged.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    });
  });
});
