import { cpSync } from 'node:fs';
import { Workspace } from './in-process';

/**
 * Targets of the software GPU that HIP 5.2.3 does not know: a program directly on HSA, with code compiled by clang 22.
 * It replaces the hardware here: the test covers the path of the capture, not the results of an MI300 or an RX 7900.
 */
describe.each([
  [
    'gfx942',
    ['f32(left, right', 'f32(1.0f * left, right'],
    ['* depth + k + lane / 16]', '* depth + k + (lane / 16 ^ 1)]'],
  ],
  [
    'gfx1100',
    ['w32(left, right, sums', 'w32(left, right, 1.0f * sums'],
    ['* depth + k + e]', '* depth + k + (e ^ 1)]'],
  ],
] as const)('a program without HIP, for %s', (target, rightEdit, wrongEdit) => {
  let here: Workspace;
  const project = 'kernels/raw-hsa/product';
  const capture = `${project}/capture/capture.json`;

  beforeAll(async () => {
    here = Workspace.create([]);
    const there = Workspace.create(['e2e/fixtures/raw-hsa']);
    if (target !== 'gfx942') there.edit('apps/raw-hsa/Makefile', (text) => text.replace('gfx942', target));
    const built = await there.kernloop(['watch-build', '--app', 'apps/raw-hsa']);
    expect([built.code, built.text]).toEqual([0, expect.any(String)]);
    const extracted = await there.kernloop(['extract', '--app', 'apps/raw-hsa', '--softgpu', target]);
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringMatching(/verified/)]);
    expect(extracted.text).toMatch(/recompiles to the captured kernel, with the same machine code/);
    for (const path of ['apps/raw-hsa', 'kernels', '.kernloop'])
      cpSync(there.path(path), here.path(path), { recursive: true });
    there.remove();
  });
  afterAll(() => here.remove());

  const outcomeOf = async (...words: string[]) => {
    const { code, text } = await here.kernloop(words);
    return [code, text];
  };
  const changeCapture = (from: string, to: string) => here.edit(capture, (text) => text.replaceAll(from, to));

  it('replays and validates in another workspace, on the target that it was captured on', async () => {
    expect(await outcomeOf('replay', project)).toEqual([0, expect.stringMatching(/Result: RAN/)]);
    expect(await outcomeOf('validate', project, '--variant', 'none')).toEqual([0, expect.stringMatching(/PASS/)]);
  });

  it.each([
    ['right', rightEdit, 0, 'PASS'],
    ['wrong', wrongEdit, 1, 'FAIL'],
  ] as const)('judges an edit that is %s', async (_kind, [from, to], code, verdict) => {
    const source = `${project}/kernel_variant.hip`;
    const before = here.read(source);
    here.edit(source, (text) => text.replace(from, to));
    expect(await outcomeOf('recompile', project)).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
    expect(await outcomeOf('validate', project)).toEqual([code, expect.stringContaining(`Result: ${verdict}`)]);
    here.write(source, before);
  });

  const [own, ...others] =
    target === 'gfx942'
      ? ['--gfx942:sramecc+:xnack-', '--gfx942:sramecc+:xnack+', '--gfx1101']
      : ['--gfx1100', '--gfx1101'];

  it('replays as what hardware ran, and refuses by name what it does not present', async () => {
    changeCapture('"kind": "softgpu"', '"kind": "hsa"');
    expect(await outcomeOf('replay', project, '--variant', 'none')).toEqual([
      0,
      expect.stringMatching(/the capture is of hardware[^]*Result: RAN/),
    ]);
    let presented: string = own;
    for (const other of others) {
      changeCapture(presented, other);
      here.edit(`${project}/kernel.json`, (text) => text.replaceAll(presented, other));
      presented = other;
      expect(await outcomeOf('replay', project, '--variant', 'none')).toEqual([
        5,
        expect.stringContaining(other.endsWith('xnack+') ? 'xnack+' : 'gfx1101'),
      ]);
    }
  });
});
