import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, Workspace } from './harness';

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

/** The second launch of each writes what the first one wrote. */
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
    ['two_phases', 'NOT judged: whether 512 bytes of r1 are written, which held the same before and are read as well'],
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
});
