import { readFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join } from 'node:path';
import { sha256OfFile } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { captureJson, TestWorkspace, verifiedSelfcheck, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { reportSchema, type Report } from './report-json';
import { validate } from './validate';

/** The app cannot use a variant that passes only with another launch. The app launches 4 blocks of 256 threads. */
describe('validate, of a variant that is not launched as the app launches the kernel', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  /** A code object that was not built from the configuration. */
  const optimized = (): string => workspace.write('kernels/app/saxpy/optimized.hsaco', 'code object');
  const arg = { index: 0, name: 'n', type: 'int', declared: null, role: 'in', element: null, offset: 0, size: 4 };
  const judge = async (configuration: object, edited = true): Promise<{ report: Report; fake: FakeDeps }> => {
    const kernel = {
      args: [{ ...arg, kind: 'by_value' }],
      configuration: { parameters: {}, macros: [], ...configuration },
    };
    const reproducer = writeReproducer(workspace, kernel);
    const variant = edited ? optimized() : 'none';
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay() }, workspace.native);
    const options = { reproducer, variant, replays: 1, adverse: false };
    const report = await validate(validateOptionsSchema.parse(options), fake);
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toEqual(report);
    return { report, fake };
  };

  it.each([
    [{ grid: '1' }, '1×1×1 blocks instead of 4×1×1', { grid: [1, 1, 1] }],
    [
      { block: '128' },
      '8×1×1 blocks instead of 4×1×1, blocks of 128×1×1 threads instead of 256×1×1',
      { grid: [8, 1, 1], block: [128, 1, 1] },
    ],
    [{ dynamic_shared: '64' }, '64 bytes of dynamic shared memory', { dynamic_shared: 64 }],
    [{ arguments: { n: '7' } }, 'argument 0 = 7', { arguments: ['0:i32=7'] }],
  ])('says in its result that %j is none of the app', async (configuration, words, launched) => {
    const { report, fake } = await judge(configuration);
    expect(fake.said.result.at(-1)).toContain(
      `Result: PASS (races NOT judged (adverse is off); NOT the app's launch: ${words}; 4,096 bytes compared`,
    );
    const captured = { captured_grid: [4, 1, 1], captured_block: [256, 1, 1] };
    const asTheApp = { grid: [4, 1, 1], block: [256, 1, 1], dynamic_shared: null, arguments: [] };
    expect(report.launch).toEqual({ ...asTheApp, ...captured, ...launched });
    expect(report.dispatches[0]?.launch).toEqual(report.launch);
  });

  it('says nothing of a configuration that comes to the same launch', async () => {
    const { report, fake } = await judge({ grid: '4' });
    expect(fake.said.result.at(-1)).toMatch(/^Result: PASS \(races NOT judged \(adverse is off\); 4,096 bytes/);
    expect(report.launch).toBeNull();
  });

  it('says of the captured code only that the configuration is not judged', async () => {
    const { report, fake } = await judge({ grid: '1' }, false);
    expect(fake.said.result.at(-1)).toMatch(
      /^Result: PASS \(the configuration of kernel.json is NOT judged: --variant none takes the captured code; 4,096/,
    );
    expect([report.launch, report.unjudged_edit]).toEqual([null, 'kernel.json']);
  });

  it('says it of several dispatches, each with its own launch in report.json', async () => {
    const reproducer = writeReproducer(workspace, { configuration: { parameters: {}, macros: [], grid: 'grid_x-1' } });
    const folder = 'kernels/app/saxpy/captures/2';
    const geometry = { grid_blocks: [9, 1, 1], block_threads: [256, 1, 1] };
    const capture = workspace.write(
      `${folder}/capture.json`,
      captureJson({ dispatch: { ordinal: 2, index: 2, queue: 0 }, geometry }),
    );
    workspace.write(`${folder}/chunks.pack`, '');
    workspace.write(
      `${folder}/selfcheck.json`,
      sealed({
        ...verifiedSelfcheck(capture),
        capture_sha256: sha256OfFile(capture),
      }),
    );
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay() }, workspace.native);
    const options = { reproducer, variant: optimized(), replays: 1, adverse: false };
    const report = await validate(validateOptionsSchema.parse(options), fake);
    expect(report.summary).toMatch(
      /^races NOT judged \(adverse is off\); NOT the app's launch: 3×1×1 blocks instead of 4×1×1, and 1 more; 2 captured dispatches: /,
    );
    expect(report.dispatches.map(({ launch }) => launch?.grid)).toEqual([
      [3, 1, 1],
      [8, 1, 1],
    ]);
  });
});
