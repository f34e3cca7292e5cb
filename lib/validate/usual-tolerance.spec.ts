import { sealed } from '../archive/selfcheck-seal';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { differed, fakeReplay, passed } from '../testing/fake-programs';
import { sha256OfFile } from '../support/files';
import { captureJson, someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { validate } from './validate';

const none = { expected_only: 0, actual_only: 0, both: 0, other: 0 };

describe('the tolerance that a verdict offers', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace, {});
  });
  afterEach(() => workspace.dispose());

  /** A kernel that changes an array of each of these parameters. */
  const changes = (...parameters: { type: string; element: string; role?: string }[]): void => {
    const args = parameters.map((parameter, index) => ({
      ...{ index, name: `out${index}`, declared: null, role: 'inout', ...parameter },
      ...{ offset: index * 8, size: 8, kind: 'global_buffer' },
    }));
    const base = (index: number): string => `0x${(0x400000000000 + index * 0x10000).toString(16)}`;
    const slots = args.map(({ index, offset, size, kind }) => ({
      ...{ offset, size, kind, value: base(index), region: `r${index}` },
    }));
    const regions = args.map(({ index }) => ({
      ...{ id: `r${index}`, base: base(index), size: 4096 },
      ...{ pre: { chunks: [someDigest] }, post: { chunks: ['b'.repeat(64)] } },
    }));
    const kernelJson = JSON.parse(workspace.read('kernels/app/saxpy/kernel.json')) as object;
    workspace.write('kernels/app/saxpy/kernel.json', { ...kernelJson, args });
    const capture = workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({ kernarg: { slots }, regions }),
    );
    const selfcheck = JSON.parse(workspace.read('kernels/app/saxpy/capture/selfcheck.json')) as object;
    workspace.write(
      'kernels/app/saxpy/capture/selfcheck.json',
      sealed({
        ...selfcheck,
        capture_sha256: sha256OfFile(capture),
      }),
    );
  };

  const f32 = { type: 'float *', element: 'f32' };
  const types: Record<string, string> = { f64: 'double *', f16: '*fp16', bf16: '*bf16', i32: 'int *' };
  const typeOf = (element: string): { type: string; element: string } => ({
    type: types[element] ?? 'float *',
    element,
  });

  interface Met {
    ulp: number;
    abs?: number;
    rel?: number;
    /** The app's value at the greatest error. */
    expected?: number;
    /** The app's values at the first differences. */
    shown?: number[];
    /** All elements are off in the same direction. */
    oneSided?: boolean;
    /** Size of the differences at `shown`. */
    off?: number;
    region?: string;
    dtype?: string;
  }
  const met = ({
    ulp,
    abs = 1e-6,
    rel = 1e-6,
    expected = 1e-3,
    region = 'r0',
    dtype = 'f32',
    shown = [],
    oneSided = false,
    off = 1e-7,
  }: Met): object => ({
    ...{ event: 'tolerance', region, offset: 0, bytes: 4096, dtype, exact: true, atol: 0, rtol: 0, ulp: 0 },
    ...{ elements: 1024, equal: 1000, within: 0, outside: 24, excused: 0, refused: 0, not_finite: 0 },
    ...{ nan: none, inf: none, max_abs_error: abs, max_rel_error: rel, max_ulp_error: ulp },
    first_outside: shown.map((value, index) => ({
      ...{ offset: 4, expected: value, actual: value + (index % 2 === 0 && !oneSided ? -off : off) },
    })),
    worst: { offset: 0, expected, actual: expected + abs },
  });
  const compared = (region: string): object => ({
    ...{ event: 'compared', region, bytes: 4096, changed: true, ignored_bytes: 0, varying_bytes: 0 },
    differing_bytes: 96,
  });
  /** Judges these differences; `accepts` says whether a replay with a tolerance passes. */
  const judge = async (differences: readonly Met[], accepts = true, options: object = {}) => {
    const isTolerant = (word: string): boolean => word.includes('rtol=');
    const fake: FakeDeps = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) =>
          args.some(isTolerant) && accepts
            ? [passed]
            : [
                ...differences.map(({ region = 'r0' }) => compared(region)),
                ...differences.map(met),
                { ...differed, differing_bytes: 96 },
              ],
        ),
      },
      workspace.native,
    );
    const parsed = validateOptionsSchema.parse({ reproducer, adverse: false, ...options });
    const report = await validate(parsed, fake);
    const asked = fake.calls.flatMap(({ args }) => args.filter(isTolerant));
    return { report, asked, said: fake.said.result };
  };

  it('is the number of units in the last place that were met, is told ahead of the differences, and passes nothing', async () => {
    changes(f32);
    const { report, asked, said } = await judge([{ ulp: 1, abs: 5.96e-8 }]);
    expect(asked).toEqual(['r0:0:4096=f32,atol=0,rtol=0,ulp=1,matched=1,nan=match,inf=match']);
    expect(report).toMatchObject({
      verdict: 'fail',
      exit_code: 1,
      usual_tolerance: { ulp: 1, atol: 0, dtypes: ['f32'], max_abs_error: 5.96e-8 },
    });
    expect(said[1]).toBe(
      'not equal byte for byte, but as close as rounding of f32 is (at most 1 ULP off): `--ulp 1` accepts it',
    );
    expect(said.at(-1)).toContain('Result: FAIL');
  });

  it.each([
    ['f64', 4],
    ['f32', 4],
    // Narrow types are computed in f32 and rounded once: two right results are neighbours.
    ['f16', 1],
    ['bf16', 1],
  ])('of %s is at most %d ULP', async (dtype, most) => {
    changes(typeOf(dtype));
    const offered = async (ulp: number): Promise<number | undefined> =>
      (await judge([{ ulp, dtype, abs: 1 }])).report.usual_tolerance?.ulp;
    expect([await offered(most), await offered(most + 1)]).toEqual([most, undefined]);
  });

  it('is none where a factor of 1.0002 makes all elements wrong, though they are small', async () => {
    changes(f32);
    const wrong = { ulp: 3356, abs: 1.9e-6, rel: 2e-4, expected: 9.28e-3 };
    const { report, asked, said } = await judge([wrong]);
    expect([report.usual_tolerance, asked]).toEqual([undefined, []]);
    expect(said.join('\n')).not.toContain('accepts it');
  });

  // A sum of both signs that is nearly 0 has the rounding of its terms.
  it('is an absolute one where elements near 0 are off by the rounding of the large ones', async () => {
    changes(f32);
    const near0 = { ulp: 3456, abs: 6.43e-6, rel: 2.2e-4, expected: -0.029 };
    const { report, asked, said } = await judge([{ ...near0, shown: [-3.75, 11.41] }]);
    expect(asked).toEqual(['r0:0:4096=f32,atol=0.0000065,rtol=0,ulp=0,matched=1,nan=match,inf=match']);
    expect(report.usual_tolerance).toMatchObject({ ulp: 0, atol: 6.5e-6, beside: 11.41 });
    expect(said[1]).toBe(
      'not equal byte for byte, but as close as rounding of f32 is (at most 0.00000643 off, beside values such as 11.4): `--atol 0.0000065` accepts it',
    );
    // 30 unit roundoffs of 3.59 are less.
    expect((await judge([{ ...near0, shown: [-3.59] }])).report.usual_tolerance).toBeUndefined();
  });

  it('is none where the relative error is the same for small elements and large ones, as with a wrong factor', async () => {
    changes(f32);
    const { report, asked } = await judge([{ ulp: 14, abs: 1e-5, rel: 8.4e-7, expected: 11.9 }]);
    expect([report.usual_tolerance, asked]).toEqual([undefined, []]);
  });

  // The right rewrite `(x + y + z) * w` of `x * w + y * w + z * w`: 17 ULP of small sums, 1 of large terms.
  it('is an absolute one where small elements are off by few ULP of the large ones, though by little of their own', async () => {
    changes(f32);
    const cancelled = { ulp: 17, abs: 1.19e-7, rel: 1.1e-6, expected: 0.11, shown: [1.2, -0.9, 0.3] };
    expect((await judge([cancelled])).report.usual_tolerance).toMatchObject({ atol: 1.2e-7, beside: 1.2 });
    // 4 ULP of 1.2 are 5.7e-7: an error of 7e-7 may be that of a factor.
    expect((await judge([{ ...cancelled, abs: 7e-7 }])).report.usual_tolerance).toBeUndefined();
  });

  it('is none where all elements are moved the same way, as with a term too much', async () => {
    changes(f32);
    const near0 = { ulp: 3456, abs: 6.43e-6, rel: 2.2e-4, expected: -0.029, shown: [-3.75, 11.41, 0.5] };
    expect((await judge([near0])).report.usual_tolerance).toMatchObject({ atol: 6.5e-6 });
    expect((await judge([{ ...near0, oneSided: true }])).report.usual_tolerance).toBeUndefined();
  });

  it('is none where all elements are off by the same, whatever its sign, as with a term of changing sign', async () => {
    changes(f32);
    const near0 = { ulp: 3456, abs: 6.43e-6, rel: 2.2e-4, expected: -0.029, shown: [-3.75, 11.41, 0.5] };
    // 8 unit roundoffs of 11.41 are 5.44e-6: errors of few roundings may all be the same.
    expect((await judge([{ ...near0, off: 6.4e-6 }])).report.usual_tolerance).toBeUndefined();
    const few = { ...near0, abs: 5e-6, off: 5e-6 };
    expect((await judge([few])).report.usual_tolerance).toMatchObject({ atol: 5e-6 });
    expect((await judge([{ ...near0, off: 4.5e-6 }])).report.usual_tolerance).toMatchObject({ atol: 6.5e-6 });
  });

  it('is no absolute one where another array has it too, whose values may be smaller', async () => {
    changes(f32, f32);
    const { report, asked } = await judge([{ ulp: 900, abs: 2.43e-7, rel: 1e-4, expected: 1.5 }]);
    expect([report.usual_tolerance, asked]).toEqual([undefined, []]);
  });

  it('is the greatest of several arrays', async () => {
    changes(f32, typeOf('f16'));
    const both = [{ ulp: 3 }, { ulp: 1, region: 'r1', dtype: 'f16' }];
    expect((await judge(both)).report.usual_tolerance).toMatchObject({ ulp: 3, dtypes: ['f32', 'f16'] });
    const wrong = [{ ulp: 1 }, { ulp: 2, region: 'r1', dtype: 'f16' }];
    expect((await judge(wrong)).report.usual_tolerance).toBeUndefined();
  });

  it.each([
    ['if more than rounding differs', 'f32', false, {}, 1],
    ['for integers', 'i32', true, {}, 0],
    ['if a tolerance was asked for', 'f32', false, { atol: 1e-9 }, 2],
  ])('is none %s', async (_case, dtype, accepts, options, replays) => {
    changes(typeOf(dtype));
    const { report, asked, said } = await judge([{ ulp: 1, dtype }], accepts, options);
    expect(report.usual_tolerance).toBeUndefined();
    expect(said.join('\n')).not.toContain('accepts it');
    expect(asked).toHaveLength(replays);
  });

  it('is none where kernel.json has a type that is not that of the signature', async () => {
    changes({ type: '*i16', element: 'f16' });
    const { report, asked } = await judge([{ ulp: 1, dtype: 'f16' }]);
    expect([report.verdict, report.usual_tolerance, asked]).toEqual(['fail', undefined, []]);
  });

  it('is none where only an input differs, which no tolerance is for', async () => {
    changes({ type: 'float const *', element: 'f32', role: 'in' });
    const { report, asked } = await judge([{ ulp: 1 }]);
    expect([report.verdict, report.usual_tolerance, asked]).toEqual(['fail', undefined, []]);
  });
});
