import { join } from 'node:path';
import { addExtracted, builtOnce, recompiled } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';
import type { Report } from '../lib/validate/report-json';

/** A kernel that reads quantised blocks behind `char*`: only as wholes do these stay blocks that the app could write. */
describe('records that change places in derived inputs', () => {
  let workspace: Workspace;
  let original: string;
  const folder = 'kernels/blocks/mul_blocks';
  const file = `${folder}/kernel_variant.hip`;
  const records = ['--inputs-record', 'x=18', '--inputs-record', 'y=36'];

  beforeAll(async () => {
    const source = join(repository, 'e2e', 'fixtures', 'blocks');
    const build = await builtOnce(source);
    workspace = Workspace.create([]);
    await addExtracted(workspace, source, (there) => {
      there.write('apps/blocks/kernloop.json', {
        name: 'blocks',
        device: 'softgpu',
        command: [join(build, 'blocks')],
        env: { HIP_PLATFORM: 'amd' },
        source,
        compileCommands: join(build, 'compile_commands.json'),
        kernels: [{ name: 'mul_blocks', match: 'mul_blocks' }],
      });
      return 'apps/blocks';
    });
    original = workspace.read(file);
  });
  afterAll(() => workspace.remove());

  const validate = (...options: string[]) => workspace.kernloop(['validate', '--reproducer', folder, ...options]);
  const report = (): Report => workspace.json<Report>(`${folder}/report.json`);
  const edit = async (from: string, to: string): Promise<void> => {
    expect(original).toContain(from);
    workspace.write(file, original.replace(from, to));
    await recompiled(workspace, folder);
  };

  const scale = 'static_cast<float>(a[i].scale) * b[i].scale';
  const row = '+ row * blocks;';

  it.each([
    ['writes the scales of the app out', scale, '0.0625f * (1 + i % 5) * b[i].scale'],
    ['reads the other row of a pair', row, '+ (row ^ 1) * blocks;'],
    ['writes the scales of the column out', scale, 'static_cast<float>(a[i].scale) * 0.125f * (1 + i % 3)'],
  ])('an edit that %s passes on the captured input, and fails with blocks in other places', async (_name, from, to) => {
    await edit(from, to);
    const without = await validate();
    expect([without.code, without.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    const wrong = await validate('--inputs', '4', ...records);
    expect([wrong.code, wrong.text]).toEqual([
      1,
      expect.stringMatching(/wrong for derived input \d+ \([\d,]+ of 2,048 records of x/),
    ]);
    const { inputs, differences } = report();
    const again = await validate('--inputs', '4', ...records, '--inputs-only', String(inputs?.failed));
    expect(again.code).toBe(1);
    expect(report().differences).toEqual(differences);
    expect(report().inputs?.tried.at(-1)).toEqual(inputs?.tried.at(-1));
  });

  it('a right edit passes, and the verdict says how many records changed places', async () => {
    await edit('for (int i = 0; i < blocks; ++i) {', 'for (int i = blocks - 1; i >= 0; --i) {');
    const verdict = await validate('--inputs', '4', ...records);
    expect([verdict.code, verdict.text]).toEqual([
      0,
      expect.stringMatching(
        /Result: PASS \(\d.*judged on the captured input and 4 derived ones, .*\d of them with records in other places: 2,\d{3} of 2,048 of x, 16 of 16 of y\)/,
      ),
    ]);
    const moved = report().inputs?.tried.filter(({ arrays }) => arrays.some(({ record_bytes: bytes }) => bytes));
    expect(new Set(moved?.map(({ verdict: each }) => each))).toEqual(new Set(['same']));
  });

  it('takes records from kernel.json', async () => {
    const kernelJson = `${folder}/kernel.json`;
    const before = workspace.read(kernelJson);
    await edit(row, '+ (row ^ 1) * blocks;');
    const kernel = workspace.json<object>(kernelJson);
    workspace.write(kernelJson, { ...kernel, options: { validate: { inputs: 4, inputsRecord: ['x=18'] } } });
    const verdict = await validate();
    workspace.write(kernelJson, before);
    expect([verdict.code, verdict.text]).toEqual([1, expect.stringMatching(/records of x in other places/)]);
  });

  it.each([
    ['x=19', /19 does not divide the 36,864 bytes of x: 4 bytes remain/, /lengths near it that divide: 16, 18, 24, 32/],
    ['xx=18', /--inputs-record xx: the capture has no such/, /did you mean x\?/],
    ['x:18', /is no NAME=BYTES/, /--inputs-record x=18/],
  ])('%s is refused', async (text, what, hint) => {
    const outcome = await validate('--inputs-record', text);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(what)]);
    expect(outcome.text).toMatch(hint);
  });
});
