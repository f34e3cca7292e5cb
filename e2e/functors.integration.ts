import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run } from './harness';
import { Workspace } from './in-process';
import { replayEvents, type CaptureJson, type SelfcheckJson } from './probe';

const source = join(repository, 'e2e', 'fixtures', 'functors');
const build = join(repository, '.kernloop', 'e2e', 'functors');

/**
 * Kernels by ordinal among the dispatches of their name: `again` has the code object of `scale`, with another functor.
 */
const kernels = [
  { name: 'scale', match: '^run_functor', ordinal: 1 },
  { name: 'shift', match: '^run_functor', ordinal: 2 },
  { name: 'again', match: '^run_functor', ordinal: 3 },
  { name: 'square', match: 'launch_from_constant_memory<Square>' },
];

describe('kernels that take their arguments from constant memory', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = Workspace.create([]);
    workspace.write('out/.keep', '');
    for (const args of [
      ['-S', source, '-B', build],
      ['--build', build],
    ]) {
      const outcome = await run('cmake', args, { env: { HIP_PLATFORM: 'amd' } });
      expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    }
    workspace.write('apps/functors/kernloop.json', {
      name: 'functors',
      device: 'softgpu',
      command: [join(build, 'functors'), build, workspace.path('out')],
      env: { HIP_PLATFORM: 'amd' },
      source,
      compileCommands: join(build, 'compile_commands.json'),
      kernels,
    });
    const captured = await workspace.kernloop(['capture', '--app', 'apps/functors']);
    expect([captured.code, captured.text]).toEqual([0, expect.stringContaining('verified')]);
  });
  afterAll(() => workspace.remove());

  const folder = (name: string): string => `kernels/functors/${name}/capture`;

  it.each(kernels)('$name is captured with the functor that was there, and with what it leads to', async ({ name }) => {
    const json = workspace.json<CaptureJson & { module_variables: { name: string }[] }>(`${folder(name)}/capture.json`);
    expect(workspace.json<SelfcheckJson>(`${folder(name)}/selfcheck.json`).verdict).toBe('verified');
    expect(json.module_variables.map((variable) => variable.name)).toContain(
      name === 'square' ? 'constant_buffer' : 'functor',
    );
    const functor = readFileSync(workspace.path('out', `${name}.functor`));
    for (const offset of [0, 8]) {
      const address = functor.readBigUInt64LE(offset);
      expect(json.regions.map(({ base }) => BigInt(base))).toContain(address);
    }
    const replayed = await replayEvents(workspace.path(folder(name)), ['--compare']);
    expect(replayed.code).toBe(0);
  });

  it('tells the code objects apart: with the other one under the same names the result is wrong', async () => {
    for (const [name, other] of [
      ['scale', 'shift'],
      ['shift', 'scale'],
      ['again', 'shift'],
    ] as const) {
      const args = ['--compare', '--code-object', join(build, `${other}.hsaco`)];
      const { code, events } = await replayEvents(workspace.path(folder(name)), args);
      expect([name, code, events.at(-1)?.['verdict']]).toEqual([name, 1, 'fail']);
      const same = await replayEvents(workspace.path(folder(name)), [
        '--compare',
        '--code-object',
        join(build, `${name === 'shift' ? 'shift' : 'scale'}.hsaco`),
      ]);
      expect([name, same.code]).toEqual([name, 0]);
    }
    const digests = ['scale', 'shift', 'again'].map(
      (name) => workspace.json<{ kernel: { code_object: string } }>(`${folder(name)}/capture.json`).kernel.code_object,
    );
    expect(digests[0]).toBe(digests[2]);
    expect(digests[0]).not.toBe(digests[1]);
  });

  it('extracts one of them with its source, and validates an edit of it', async () => {
    const reproducer = 'kernels/functors/square';
    const extracted = await workspace.kernloop(['extract', '--app', 'apps/functors', '--kernel', 'square']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    expect((await workspace.kernloop(['recompile', '--reproducer', reproducer])).code).toBe(0);
    expect((await workspace.kernloop(['validate', '--reproducer', reproducer])).text).toMatch(/Result: PASS/);
    workspace.edit(`${reproducer}/kernel_variant.hip`, (text) => text.replace('+ data.amount', '- data.amount'));
    expect((await workspace.kernloop(['recompile', '--reproducer', reproducer])).code).toBe(0);
    expect((await workspace.kernloop(['validate', '--reproducer', reproducer])).text).toMatch(/Result: FAIL/);
  });
});
