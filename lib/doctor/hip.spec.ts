import { symlinkSync } from 'node:fs';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { hipChecks } from './hip';

describe('what kernloop doctor says of HIP', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const library = (file: string): string => workspace.write(`lib/${file}`, '');
  const lists =
    (files: readonly string[]): FakeProgram =>
    ({ print }) => {
      print(`${String(files.length)} libs found in cache \`/etc/ld.so.cache'`);
      for (const file of files) print(`\tlibamdhip64.so (libc6,x86-64) => ${file}`);
      return 0;
    };
  const loads =
    (...lines: string[]): FakeProgram =>
    ({ print }) => {
      for (const line of ['\tlibc.so.6 => /lib/libc.so.6 (0x1)', ...lines]) print(line);
      return 0;
    };
  const deps = (files: readonly string[], ldd: FakeProgram): FakeDeps =>
    fakeDeps({ ldconfig: lists(files), ldd }, workspace.native, { env: { ROCM_PATH: workspace.path('none') } });

  it('tells the release, and the targets that it was run with', async () => {
    const file = library('libamdhip64.so.6.4.43484');
    const [check, ...more] = await hipChecks(deps([file], loads()));
    expect(check?.state).toBe('ok');
    expect(check?.detail).toBe(`HIP 6.4 (${file}): run on gfx90a, gfx1030, gfx942, gfx1100`);
    expect(more).toEqual([]);
  });

  it('is not ok where the runtime asks for functions that the software GPU lacks, and names each', async () => {
    const file = library('libamdhip64.so.9.1.0');
    const fake = deps(
      [file],
      loads(
        `undefined symbol: hsa_amd_one, version ROCR_1\t(${file})`,
        `undefined symbol: hsa_amd_two\t(${file})`,
        '\tlibnuma.so.1 => not found',
      ),
    );
    const [check] = await hipChecks(fake);
    expect(check?.state).toBe('missing');
    expect(check?.detail).toContain('HIP 9.1');
    expect(check?.detail).toContain('hsa_amd_one is not defined, hsa_amd_two is not defined');
    expect(check?.detail).toContain('libnuma.so.1 => not found');
    const ldd = fake.calls.find(({ program }) => program === 'ldd');
    expect(ldd?.args).toEqual(['-r', file]);
    expect(ldd?.env['LD_LIBRARY_PATH']).toBe(workspace.native.softgpuDir);
  });

  it('is not ok where the loader cannot say', async () => {
    const [check] = await hipChecks(
      deps([library('libamdhip64.so.6.4.1')], () => ({ exitCode: 1, stderrTail: 'bad' })),
    );
    expect(check).toMatchObject({ state: 'missing', detail: expect.stringContaining('ldd -r fails: bad') as unknown });
  });

  it('says of a release that nobody ran that it loads, and no more', async () => {
    const [check] = await hipChecks(deps([library('libamdhip64.so.7.2.5')], loads()));
    expect(check?.state).toBe('ok');
    expect(check?.detail).toContain('loads; no program of this release was run');
  });

  it('lists releases beside each other, each once whatever its links', async () => {
    const five = library('libamdhip64.so.5.7.1');
    const six = library('libamdhip64.so.6.4.1');
    const link = workspace.path('lib/libamdhip64.so');
    symlinkSync(six, link);
    const checks = await hipChecks(deps([five, link, six], loads()));
    expect(checks.map(({ detail }) => detail.slice(0, 7))).toEqual(['HIP 5.7', 'HIP 6.4']);
  });

  it('lacks nothing where there is no HIP', async () => {
    const checks = await hipChecks(deps([], loads()));
    expect(checks).toMatchObject([{ state: 'optional' }]);
  });
});
