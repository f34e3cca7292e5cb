import { readFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join } from 'node:path';
import { captureJsonSchema } from '../archive/capture-files';
import { kernelJsonSchema } from '../reproducer/kernel-json';
import { sha256 } from '../support/files';
import { failure, thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, passed } from '../testing/fake-programs';
import { schemaErrors } from '../testing/published-schema';
import { captureJson, kernelJson, someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema, type ValidateOptions } from './options';
import { planElements, type ElementPlan } from './tolerance';
import { validate } from './validate';

const other = 'b'.repeat(64);
const region = (id: string, base: number, size: number, changed: boolean): object => ({
  id,
  base: `0x${base.toString(16)}`,
  size,
  pre: { chunks: [someDigest] },
  post: { chunks: [changed ? other : someDigest] },
});
const slot = (offset: number, address: number, id: string): object => ({
  offset,
  size: 8,
  kind: 'by_value',
  value: `0x${address.toString(16)}`,
  region: id,
});
const arg = (index: number, name: string, element: string | null): object => ({
  index,
  name,
  type: 'T*',
  declared: null,
  role: 'inout',
  element,
  offset: index * 8,
  size: 8,
  kind: 'by_value',
});

/** y (f32, changed) and x (f32, unchanged) in their own allocations; a block with two arrays, as PyTorch has them. */
const capture = captureJsonSchema.parse(
  captureJson({
    kernarg: {
      slots: [
        slot(0, 0x1000, 'r0'),
        slot(8, 0x2000, 'r1'),
        slot(16, 0x3100, 'r2'),
        slot(24, 0x3300, 'r2'),
        slot(32, 0x4000, 'r3'),
        slot(40, 0x4000, 'r3'),
        slot(48, 0x5000, 'r4'),
      ],
    },
    regions: [
      region('r0', 0x1000, 100, true),
      region('r1', 0x2000, 100, false),
      region('r2', 0x3000, 0x1000, true),
      region('r3', 0x4000, 64, true),
      region('r4', 0x5000, 64, true),
      region('r5', 0x6000, 64, true),
    ],
    module_variables: [{ name: 'table', size: 16, pre: { chunks: [someDigest] }, post: { chunks: [someDigest] } }],
  }),
);
const kernel = kernelJsonSchema.parse(
  kernelJson({
    args: [
      arg(0, 'y', 'f32'),
      arg(1, 'x', 'f32'),
      arg(2, 'out', 'bf16'),
      arg(3, 'mask', 'u8'),
      arg(4, 'a', 'f32'),
      arg(5, 'b', 'f64'),
      arg(6, 'counts', 'i32'),
    ],
  }),
);

const options = (overrides: object): ValidateOptions => validateOptionsSchema.parse({ adverse: false, ...overrides });
const places = (overrides: object): string[] =>
  planElements(options(overrides), kernel, capture, []).elements.map(
    ({ target, offset, size, type, bounds }) => `${target}:${offset}:${size}=${type}${bounds ? '' : ', exact'}`,
  );

describe('the tolerance policy', () => {
  it('is none where nothing was asked for: every byte must be equal', () => {
    const { bounds, elements } = planElements(options({}), kernel, capture, []);
    expect(bounds).toBeNull();
    expect(elements.map(({ target, type, bounds: own }) => [target, type, own])).toEqual([
      ['r0', 'f32', null],
      ['r2', 'bf16', null],
      ['r2', 'u8', null],
      ['r4', 'i32', null],
    ]);
  });

  it('is for the floating-point arrays that the kernel changed, each as far as the next pointer', () => {
    expect(places({ ulp: 1 })).toEqual([
      ...['r0:0:100=f32', 'r2:256:512=bf16'],
      ...['r2:768:3328=u8, exact', 'r4:0:64=i32, exact'],
    ]);
  });

  it('leaves input exact that shares an allocation with output, unless it is named', () => {
    const asInput = kernel.args.map((each) => (each.name === 'out' ? { ...each, role: 'in' as const } : each));
    const planned = (overrides: object): string[] =>
      planElements(options(overrides), { ...kernel, args: asInput }, capture, [])
        .elements.filter(({ target }) => target === 'r2')
        .map(({ offset, type, bounds }) => `${offset}=${type}${bounds ? '' : ', exact'}`);
    expect(planned({ atol: 1 })).toEqual(['256=bf16, exact', '768=u8, exact']);
    expect(planned({ atol: 1, dtype: ['out=bf16'] })).toContain('256=bf16');
  });

  it('names what it leaves exact for want of a type', () => {
    expect(planElements(options({ ulp: 1 }), kernel, capture, []).untyped).toEqual(['r3', 'r5']);
  });

  it('is refused where all that changed are integers, and no type is offered to judge them by', () => {
    const integers = captureJsonSchema.parse({
      ...capture,
      kernarg: { slots: [slot(0, 0x1000, 'r0')] },
      regions: [region('r0', 0x1000, 100, true)],
      module_variables: [],
    });
    const config = kernelJsonSchema.parse(kernelJson({ args: [arg(0, 'sums', 'i32')] }));
    const error = thrown(() => planElements(options({ ulp: 1 }), config, integers, []));
    expect(error.what).toContain('all that the kernel changed stays exact (r0: i32)');
    expect(error.hint).toMatch(/^leave it out: integers are equal or wrong/);
    expect(error.hint).not.toContain('f32');
  });

  it('takes a type alone for the rest of what the kernel changed, but not for what the signature gives another type', () => {
    expect(places({ atol: 1e-6, dtype: ['f32'] })).toEqual([
      'r0:0:100=f32',
      'r2:256:512=bf16',
      'r3:0:64=f32',
      'r5:0:64=f32',
      'r2:768:3328=u8, exact',
      'r4:0:64=i32, exact',
    ]);
  });

  it('takes an integer type alone for integers of its size, whatever their sign', () => {
    expect(places({ atol: 1, dtype: ['u32'] })).toEqual([
      'r0:0:100=f32',
      'r2:256:512=bf16',
      'r4:0:64=u32',
      'r5:0:64=u32',
      'r2:768:3328=u8, exact',
    ]);
  });

  it.each([
    ['a region', 'r5=f16', 'r5:0:64=f16'],
    ['a region of which two pointers say different types', 'r3=f64', 'r3:0:64=f64'],
    ['integers', 'counts=i32', 'r4:0:64=i32'],
    ['integers of the other sign', 'counts=u32', 'r4:0:64=u32'],
    ['a pointer parameter', 'x=f32', 'r1:0:100=f32'],
    ['a pointer parameter, as far as the next pointer', 'out=bf16', 'r2:256:512=bf16'],
    ['a part of what a parameter points to', 'out:4:8=bf16', 'r2:260:8=bf16'],
    ['a part', 'r2:1024:8=i8', 'r2:1024:8=i8'],
    ['a part that no pointer leads to', 'r2:0:8=f64', 'r2:0:8=f64'],
    ['a module variable', 'table=f32', 'table:0:16=f32'],
  ])('takes the word of --dtype for %s', (_name, dtype, place) => {
    expect(places({ ulp: 1, dtype: [dtype] })[0]).toBe(place);
  });

  it('keeps the types of other arrays in an allocation of which one is named', () => {
    const [named, ...others] = places({ ulp: 1, dtype: ['mask=i8'] });
    expect(named).toBe('r2:768:3328=i8');
    expect(others).toContain('r2:256:512=bf16');
  });

  describe('against the signature', () => {
    // Read as doubles, the even floats of an array are low bits of the mantissa, which could then be anything.
    it.each([
      ['a greater size, by parameter', 'y=f64', 'T* y'],
      ['a greater size, by region', 'r0=f64', 'T* y'],
      ['a smaller size', 'r0=f16', 'T* y'],
      ['integers of floats', 'y=i32', 'T* y'],
      ['floats of integers', 'counts=f32', 'T* counts'],
      ['another format of the same size', 'out=f16', 'T* out'],
      ['a part', 'y:8:8=f64', 'T* y'],
      ['a part by its region', 'r2:1024:8=f64', 'T* mask'],
      ['a region of which one array agrees', 'r2=bf16', 'T* mask'],
      ['a parameter, though another pointer to the place agrees', 'a=f64', 'T* a'],
      ['a region of which no pointer agrees', 'r3=f16', 'T* a, T* b'],
    ])('refuses %s', (_name, dtype, told) => {
      const error = thrown(() => places({ rtol: 1e-6, dtype: [dtype] }));
      expect([error.code, error.what]).toEqual(['USAGE', expect.stringContaining(`the signature says ${told}:`)]);
      expect(error.hint).toContain('--force-dtype');
    });

    it('leaves what no pointer tells to --dtype: void pointers, and those of types that are no numbers', () => {
      const args = kernel.args.map((each) => (each.name === 'y' ? { ...each, type: 'void*', element: null } : each));
      const { elements, forced } = planElements(
        options({ ulp: 1, dtype: ['y=f64'] }),
        { ...kernel, args },
        capture,
        [],
      );
      expect([elements[0]?.type, forced]).toEqual(['f64', []]);
    });

    it.each(['float4*', 'HIP_vector_type<float, 4u>*', 'float2 const*'])('knows the elements of %s', (type) => {
      const args = kernel.args.map((each) => (each.name === 'y' ? { ...each, type, element: null } : each));
      const plan = (dtype: string): unknown =>
        planElements(options({ ulp: 1, dtype: [dtype] }), { ...kernel, args }, capture, []).elements[0]?.type;
      expect(plan('y=f32')).toBe('f32');
      expect(thrown(() => plan('y=f64')).code).toBe('USAGE');
    });

    describe('what kernel.json says', () => {
      const saying = (change: object, overrides: object = {}, of = capture): ElementPlan => {
        const args = kernel.args.map((each) => (each.name === 'counts' ? { ...each, ...change } : each));
        return planElements(options({ atol: 1, ...overrides }), { ...kernel, args }, of, []);
      };

      it.each([
        ['floats of integers', { type: 'int*', element: 'f32' }, 'int* counts'],
        ['another size', { type: 'float*', element: 'f64' }, 'float* counts'],
        ['another format of the same size', { type: '__half*', element: 'bf16' }, '__half* counts'],
        ['floats of vectors of integers', { type: 'int4*', element: 'f32' }, 'int4* counts'],
        ["floats of Triton's integers", { type: '*i32', element: 'f32' }, '*i32 counts'],
      ])('is refused for %s', (_name, change, told) => {
        const error = thrown(() => saying(change));
        expect([error.code, error.what]).toEqual([
          'USAGE',
          expect.stringContaining(`kernel.json: element ${change.element} of counts: the signature says ${told}:`),
        ]);
        expect(error.hint).toContain('--force-dtype');
      });

      it('is held against the name of the captured kernel, where its types were edited too', () => {
        const named = {
          ...capture,
          kernel: { ...capture.kernel, name: 'k(float*, float*, c10::BFloat16*, bool*, float*, double*, int*)' },
        };
        const error = thrown(() => saying({ type: 'float*', element: 'f32' }, {}, named));
        expect(error.what).toContain('the signature says int* counts:');
      });

      it('is held against it also where nvcc has put another id into the name since', () => {
        const symbol = (id: string): string => `_ZN36_GLOBAL__N__${id}_4_k_cu_123456781kEv`;
        const name = 'k(float*, float*, c10::BFloat16*, bool*, float*, double*, int*)';
        const moved = { ...capture, kernel: { ...capture.kernel, name, symbol: symbol('0badcafe') } };
        const edited = { type: 'float*', element: 'f32' as const };
        const args = kernel.args.map((each) => (each.name === 'counts' ? { ...each, ...edited } : each));
        const plan = (): ElementPlan =>
          planElements(options({ atol: 1 }), { ...kernel, args, symbol: symbol('2c443d97') }, moved, []);
        expect(thrown(plan).what).toContain('the signature says int* counts:');
      });

      it('says nothing where it only leaves the type out, and --dtype gives another', () => {
        const without = { type: 'int*', element: null };
        expect(saying(without).untyped).toContain('r4');
        expect(thrown(() => saying(without, { dtype: ['counts=f32'] })).what).toContain(
          'the signature says int* counts:',
        );
      });

      it.each([
        ['integers of the other sign', { type: 'int*', element: 'u32' }],
        ['what a void pointer leads to', { type: 'void*', element: 'f32' }],
        ['a type that is no number', { type: 'Pair*', element: 'f32' }],
      ])('counts for %s', (_name, change) => {
        expect(saying(change).elements.find(({ target }) => target === 'r4')).toMatchObject({ type: change.element });
      });

      it('gives way to --force-dtype, and the verdict says so', () => {
        const { elements, forced } = saying({ type: 'int*', element: 'f32' }, { forceDtype: true });
        expect(elements.find(({ target }) => target === 'r4')).toMatchObject({ type: 'f32', bounds: { atol: 1 } });
        expect(forced).toEqual(['counts judged as f32 against the signature, which says int* counts']);
      });

      it('does not matter where every byte must be equal', () => {
        expect(saying({ type: 'int*', element: 'f32' }, { atol: undefined }).forced).toEqual([]);
      });
    });

    it('gives way to --force-dtype, and keeps what was forced', () => {
      const forcing = { ulp: 1, forceDtype: true };
      const named = planElements(options({ ...forcing, dtype: ['y=f64', 'r5=f16'] }), kernel, capture, []);
      expect(named.elements[0]).toMatchObject({ target: 'r0', type: 'f64' });
      expect(named.forced).toEqual(['r0 judged as f64 against the signature, which says T* y']);
      const rest = planElements(options({ ...forcing, dtype: ['f32'] }), kernel, capture, []);
      expect(rest.elements.find(({ target }) => target === 'r4')).toMatchObject({ type: 'f32', size: 64 });
      expect(rest.forced).toEqual(['r4 judged as f32 against the signature, which says T* counts']);
    });

    it('says so where a type alone is left with nothing to judge', () => {
      const integers = captureJsonSchema.parse({
        ...captureJson({ kernarg: { slots: [slot(48, 0x5000, 'r4')] }, regions: [region('r4', 0x5000, 64, true)] }),
      });
      const error = thrown(() => planElements(options({ ulp: 1, dtype: ['f32'] }), kernel, integers, []));
      expect(error.what).toContain('nothing of what the kernel changed (r4)');
      expect(error.hint).toContain('--force-dtype');
    });
  });

  it('leaves ignored regions out', () => {
    const ignored = [{ region: 'r0', offset: 0, size: 100 }];
    const { elements } = planElements(options({ ulp: 1 }), kernel, capture, ignored);
    expect(elements.map(({ target }) => target)).toEqual(['r2', 'r2', 'r4']);
  });

  it.each([
    [{ dtype: ['f32'] }, 'no tolerance'],
    [{ ulp: 1, dtype: ['f33'] }, 'no type "f33"'],
    [{ ulp: 1, dtype: ['r9=f32'] }, 'no such region'],
    [{ ulp: 1, dtype: ['f32', 'f16'] }, 'both for the rest'],
    [{ ulp: 1, dtype: ['r0:0:3=f32'] }, '3 bytes at offset 0 of r0 hold no f32'],
    [{ ulp: 1, dtype: ['r0:2:8=f32'] }, 'at offset 2 of r0 hold no f32'],
    [{ ulp: 1, dtype: ['r0=f32', 'y=f32'] }, 'has a type already'],
    [{ ulp: 1, dtype: ['r0:96:8=f32'] }, 'ends beyond'],
    [{ ulp: 1, dtype: ['r0='] }, 'no type ""'],
  ])('refuses %j', (overrides, text) => {
    const error = thrown(() => places(overrides));
    expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect(error.what).toContain(text);
  });

  it('asks for a type where no argument tells one, naming what it is for', () => {
    const untyped = kernelJsonSchema.parse(kernelJson());
    const error = thrown(() => planElements(options({ ulp: 1 }), untyped, capture, []));
    expect(error.what).toContain('r0, r2, r3, r4, r5');
    expect(error.hint).toContain('--dtype r0=f32');
  });
});

describe('validate under a tolerance', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
  });
  afterEach(() => workspace.dispose());

  const none = { expected_only: 0, actual_only: 0, both: 0, other: 0 };
  const met = (overrides: object = {}): object => ({
    event: 'tolerance',
    region: 'r0',
    offset: 0,
    bytes: 4096,
    dtype: 'f32',
    exact: false,
    ...{ atol: 0, rtol: 0, ulp: 1 },
    ...{ elements: 1024, equal: 1000, within: 24, outside: 0, excused: 0, refused: 0, not_finite: 0 },
    ...{ nan: none, inf: none, max_abs_error: 1e-7, max_rel_error: null, max_ulp_error: 1 },
    first_outside: [],
    ...overrides,
  });
  const compared = (overrides: object = {}): object => ({
    event: 'compared',
    region: 'r0',
    ...{ bytes: 4096, changed: true, ignored_bytes: 0, varying_bytes: 0, differing_bytes: 0 },
    ...overrides,
  });
  const run = async (answers: object[][], overrides: object = {}) => {
    let index = 0;
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay(() => answers[index++] ?? []) }, workspace.native);
    const report = await validate(options({ reproducer, ulp: 1, dtype: ['r0=f32'], ...overrides }), fake);
    const written: unknown = JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8'));
    expect(schemaErrors('report', written)).toEqual([]);
    return { report, fake, text: fake.said.result.join('\n') };
  };

  it('hands the policy to the replay, and says it with the counts', async () => {
    const { report, fake, text } = await run([
      [met(), compared(), passed],
      [met({ within: 30, equal: 994, max_abs_error: 2e-7 }), compared(), passed],
    ]);
    expect(fake.calls[0]?.args).toContain('r0:0:4096=f32,atol=0,rtol=0,ulp=1,matched=1,nan=match,inf=match');
    expect(report).toMatchObject({
      verdict: 'pass',
      tolerance: { ulp: 1, matched: 1, nan: 'match' },
      regions: [{ region: 'r0', elements: [{ within: 30, max_abs_error: 2e-7, max_rel_error: null }] }],
    });
    expect(report.tolerance?.policy).toContain('NaN passes only for the same');
    expect(text).toContain('30 of 1,024 elements differ within the tolerance: atol 0, rtol 0, 1 ULP');
  });

  it.each([
    [{ nan: 'refuse' }, 'atol=0,rtol=0,ulp=0,matched=1,nan=refuse,inf=match', 'NaN never passes'],
    [
      { inf: 'ignore' },
      'atol=0,rtol=0,ulp=0,matched=1,nan=match,inf=ignore',
      'anything passes where the app has an infinity',
    ],
    [
      { matchedRatio: 0.99, atol: 1 },
      'atol=1,rtol=0,ulp=0,matched=0.99,nan=match,inf=match',
      '99 % of the elements must pass',
    ],
  ])('%j is a tolerance of its own', async (asked, argument, words) => {
    const { report, fake } = await run([[met(), compared(), passed]], { ulp: undefined, replays: 1, ...asked });
    expect(fake.calls[0]?.args).toContain(`r0:0:4096=f32,${argument}`);
    expect(report.tolerance?.policy).toContain(words);
  });

  it('fails, and shows first and worst of what was outside, as numbers', async () => {
    const wrong = met({
      ...{ outside: 3, equal: 997, not_finite: 1, max_ulp_error: 9000 },
      nan: { ...none, actual_only: 1, both: 5 },
      first_outside: [
        { offset: 48, expected: 1.5, actual: 'NaN' },
        { offset: 52, expected: 2, actual: 2.25 },
      ],
      worst: { offset: 400, expected: 3, actual: 9 },
    });
    const { report, text } = await run(
      [[difference, wrong, compared({ differing_bytes: 12, first_difference: 48 }), differed]],
      {
        replays: 1,
      },
    );
    expect(report).toMatchObject({
      verdict: 'fail',
      exit_code: 1,
      regions: [{ first_difference: 48, differing_bytes: 12 }],
    });
    expect(text).toContain('r0: NaN: 5 in both, 1 only in the replay, 0 only in what the app computed');
    expect(text).toContain('r0[12] (f32 at offset 48): expected 1.5, got NaN');
    expect(text).toContain('r0[100] (f32 at offset 400): expected 3, got 9, the greatest error');
    expect(text).toContain('9,000');
    expect(text).not.toContain('infinity:');
    expect(text).not.toContain('expected 00, got 01');
  });

  it('begins its verdict with a type that was forced on it', async () => {
    writeReproducer(workspace, { args: [arg(0, 'y', 'f32')] });
    const slots = [slot(0, 0x1000, 'r0')];
    workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({ kernarg: { slots }, regions: [region('r0', 0x1000, 4096, true)] }),
    );
    workspace.write(
      'kernels/app/saxpy/capture/selfcheck.json',
      sealed({
        ...(JSON.parse(readFileSync(join(reproducer, 'capture', 'selfcheck.json'), 'utf8')) as object),
        capture_sha256: sha256(readFileSync(join(reproducer, 'capture', 'capture.json'), 'utf8')),
      }),
    );
    const asked = { replays: 1, dtype: ['y=f64'] };
    const fake = fakeDeps({}, workspace.native);
    const refused = await failure(validate(options({ reproducer, rtol: 1e-6, ...asked }), fake));
    expect([refused.code, fake.calls]).toEqual(['USAGE', []]);
    const { report, text } = await run([[met({ dtype: 'f64' }), compared(), passed]], { ...asked, forceDtype: true });
    expect(report.tolerance?.forced).toEqual(['r0 judged as f64 against the signature, which says T* y']);
    expect(text).toContain('Result: PASS (--force-dtype: y judged as f64 against the signature, which says T* y; ');
  });

  it('claims no relative error where there is none: the app computed 0', async () => {
    const nearZero = met({ outside: 1, equal: 999, max_abs_error: 0.25, max_rel_error: 0, max_ulp_error: 7 });
    const { text } = await run([[nearZero, compared({ differing_bytes: 4 }), differed]], { replays: 1 });
    expect(text).toMatch(/ 1 +0\.250 +- +7 /);
  });

  it('shows the worst of all replays, whichever is first', async () => {
    const bad = [
      met({ outside: 2, first_outside: [{ offset: 8, expected: 1, actual: 2 }] }),
      compared({ differing_bytes: 4, first_difference: 8 }),
      differed,
    ];
    const { report } = await run([[met(), compared(), passed], bad]);
    expect(report.regions).toMatchObject([
      { differing_bytes: 4, first_difference: 8, elements: [{ outside: 2, first_outside: [{ offset: 8 }] }] },
    ]);
  });

  it('says what the matched ratio excuses, and shows no wrong place for it', async () => {
    const excused = met({ outside: 4, excused: 4, first_outside: [{ offset: 8, expected: 1, actual: 2 }] });
    const { text } = await run([[excused, compared(), passed]], { replays: 1, matchedRatio: 0.99 });
    expect(text).toContain('4 more are excused by the matched ratio');
    expect(text).not.toContain('expected 1, got 2');
  });

  it('has a row for each region that differs, as bytes where nothing tells its type', async () => {
    const untyped = compared({ region: 'r7', bytes: 100, changed: false, differing_bytes: 4, first_difference: 8 });
    const events = [{ ...difference, region: 'r7' }, compared(), untyped, differed];
    const { report, text } = await run([events], { replays: 1, ulp: undefined, dtype: [] });
    expect(report.regions.map(({ region }) => region)).toEqual(['r0', 'r7']);
    expect(text).toMatch(/r7 +bytes +100 +96 +- +4 +- +- +- +8/);
    expect(text).toContain('r7 at offset 8: expected 00, got 01; 4 bytes differ');
    expect(text).not.toMatch(/^r0 /m);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])('with --verbose %p it has %i rows where all is right', async (verbose, rows) => {
    const { text } = await run([[compared(), passed]], { replays: 1, ulp: undefined, dtype: [], verbose });
    expect(text.split('\n').filter((line) => line.startsWith('r0 '))).toHaveLength(rows);
  });

  it('says why it is vacuous where the tolerance would pass anything', async () => {
    const reason = 'the tolerance is so wide that memory as it was before the dispatch passes too';
    const { report } = await run([[met(), { ...passed, verdict: 'vacuous', reason }]], { replays: 1 });
    expect(report).toMatchObject({ verdict: 'vacuous', exit_code: 3 });
    expect(report.summary).toContain(reason);
  });

  it('checks the options before a device is used', async () => {
    const fake = fakeDeps({}, workspace.native);
    expect(await failure(validate(options({ reproducer, dtype: ['f32'] }), fake))).toMatchObject({ code: 'USAGE' });
    expect(fake.calls).toEqual([]);
  });
});
