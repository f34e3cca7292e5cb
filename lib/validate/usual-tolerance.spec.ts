import { sealed } from '../archive/selfcheck-seal';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { differed, fakeReplay, passed } from '../testing/fake-programs';
import { sha256OfFile } from '../support/files';
import { captureJson, someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

const none = { expected_only: 0, actual_only: 0, both: 0, other: 0 };

describe('the usual tolerance', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    const slot = { offset: 0, size: 8, kind: 'global_buffer', value: '0x400000000000', region: 'r0' };
    const arg = { index: 0, name: 'y', type: '*fp16', declared: null, role: 'inout', element: 'f16' };
    reproducer = writeReproducer(workspace, { args: [{ ...arg, offset: 0, size: 8, kind: 'global_buffer' }] });
    const content = (digest: string): object => ({ chunks: [digest] });
    const region = { id: 'r0', base: '0x400000000000', size: 4096, pre: content(someDigest) };
    const regions = [{ ...region, post: content('b'.repeat(64)) }];
    const capture = workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({ kernarg: { slots: [slot] }, regions }),
    );
    const selfcheck = JSON.parse(workspace.read('kernels/app/saxpy/capture/selfcheck.json')) as object;
    workspace.write(
      'kernels/app/saxpy/capture/selfcheck.json',
      sealed({
        ...selfcheck,
        capture_sha256: sha256OfFile(capture),
      }),
    );
  });
  afterEach(() => workspace.dispose());

  const met = (dtype: string): object => ({
    ...{ event: 'tolerance', region: 'r0', offset: 0, bytes: 4096, dtype, exact: true, atol: 0, rtol: 0, ulp: 0 },
    ...{ elements: 2048, equal: 2000, within: 0, outside: 48, excused: 0, refused: 0, not_finite: 0 },
    ...{ nan: none, inf: none, max_abs_error: 0.0005, max_rel_error: 0.0004, max_ulp_error: 1, first_outside: [] },
  });
  const compared = {
    ...{ event: 'compared', region: 'r0', bytes: 4096, changed: true, ignored_bytes: 0, varying_bytes: 0 },
    differing_bytes: 96,
  };
  /** Judges a difference in elements of this type; `passes` says whether a replay with a tolerance passes. */
  const judge = async (dtype: string, passes: boolean, options: object = {}) => {
    const fake: FakeDeps = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) => {
          const tolerant = args.some((word) => word.includes('rtol='));
          return tolerant && passes ? [passed] : [compared, met(dtype), { ...differed, differing_bytes: 96 }];
        }),
      },
      workspace.native,
    );
    const parsed = validateOptionsSchema.parse({ reproducer, adverse: false, ...options });
    const report = await validate(parsed, fake);
    const asked = fake.calls.flatMap(({ args }) => args.filter((word) => word.includes('rtol=')));
    return { report, asked, said: fake.said.result };
  };

  it('is told of ahead of everything where it would accept what differs, and passes nothing', async () => {
    const { report, asked, said } = await judge('f16', true);
    expect(asked).toEqual(['r0:0:4096=f16,atol=0.00001,rtol=0.001,ulp=0,matched=1,nan=match,inf=match']);
    expect(report).toMatchObject({
      verdict: 'fail',
      exit_code: 1,
      usual_tolerance: { atol: 1e-5, rtol: 1e-3, dtypes: ['f16'] },
    });
    expect(said[1]).toBe(
      'not equal byte for byte, but within the usual tolerance of f16 (at most 0.000500 off): `--atol 0.00001 --rtol 0.001` accepts it',
    );
    expect(said.at(-1)).toContain('Result: FAIL');
  });

  it.each([
    ['where the error is greater', 'f16', false, {}, 1],
    ['of integers', 'i32', true, {}, 0],
    ['where a tolerance was asked for', 'f16', false, { atol: 1e-9 }, 2],
  ])('is not told of %s', async (_case, dtype, passes, options, replays) => {
    const { report, asked, said } = await judge(dtype, passes, options);
    expect(report.usual_tolerance).toBeUndefined();
    expect(said.join('\n')).not.toContain('usual tolerance');
    expect(asked).toHaveLength(replays);
  });

  it('is not told of where kernel.json has a type that is not that of the signature', async () => {
    const kernelJson = JSON.parse(workspace.read('kernels/app/saxpy/kernel.json')) as { args: object[] };
    const args = kernelJson.args.map((arg) => ({ ...arg, type: '*i16' }));
    workspace.write('kernels/app/saxpy/kernel.json', { ...kernelJson, args });
    const { report, asked } = await judge('f16', true);
    expect([report.verdict, report.usual_tolerance, asked]).toEqual(['fail', undefined, []]);
  });
});
