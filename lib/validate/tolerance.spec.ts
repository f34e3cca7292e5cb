import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureJsonSchema } from '../capture/capture-files';
import { kernelJsonSchema } from '../reproducer/kernel-json';
import { failure, thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { differed, fakeReplay, passed } from '../testing/fake-programs';
import { captureJson, kernelJson, someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { validateOptionsSchema, type ValidateOptions } from './options';
import { reportSchema } from './report-json';
import { tolerancePolicy } from './tolerance';
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

/** y (f32, changed) and x (f32, left alone) in allocations of their own; a block with two arrays, as PyTorch has them. */
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

const options = (overrides: object): ValidateOptions => validateOptionsSchema.parse(overrides);
const places = (overrides: object): string[] =>
  (tolerancePolicy(options(overrides), kernel, capture, [])?.elements ?? []).map(
    ({ target, offset, size, type }) => `${target}:${offset}:${size}=${type}`,
  );

describe('the tolerance policy', () => {
  it('is none where nothing was asked for: every byte must be equal', () => {
    expect(tolerancePolicy(options({}), kernel, capture, [])).toBeNull();
  });

  it('is for the floating-point arrays that the kernel changed, each as far as the next pointer', () => {
    expect(places({ ulp: 1 })).toEqual(['r0:0:100=f32', 'r2:256:512=bf16']);
  });

  it('names what it leaves exact for want of a type', () => {
    expect(tolerancePolicy(options({ ulp: 1 }), kernel, capture, [])?.untyped).toEqual(['r3', 'r4', 'r5']);
  });

  it('takes a type alone for the rest of what the kernel changed', () => {
    expect(places({ atol: 1e-6, dtype: ['f32'] })).toEqual([
      'r0:0:100=f32',
      'r2:256:512=bf16',
      'r3:0:64=f32',
      'r4:0:64=f32',
      'r5:0:64=f32',
    ]);
  });

  it.each([
    ['a region', 'r5=f16', 'r5:0:64=f16'],
    ['a region that an argument types otherwise', 'r0=f64', 'r0:0:100=f64'],
    ['integers', 'counts=i32', 'r4:0:64=i32'],
    ['a pointer parameter', 'x=f32', 'r1:0:100=f32'],
    ['a part', 'r2:1024:8=f64', 'r2:1024:8=f64'],
    ['a module variable', 'table=f32', 'table:0:16=f32'],
  ])('takes the word of --dtype for %s', (_name, dtype, place) => {
    expect(places({ ulp: 1, dtype: [dtype] })[0]).toBe(place);
  });

  it('leaves ignored regions out', () => {
    const ignored = [{ region: 'r0', offset: 0, size: 100 }];
    const policy = tolerancePolicy(options({ ulp: 1 }), kernel, capture, ignored);
    expect(policy?.elements.map(({ target }) => target)).toEqual(['r2']);
  });

  it.each([
    [{ dtype: ['f32'] }, 'no tolerance'],
    [{ ulp: 1, dtype: ['f33'] }, 'no type "f33"'],
    [{ ulp: 1, dtype: ['r9=f32'] }, 'no such region'],
    [{ ulp: 1, dtype: ['r0:96:8=f32'] }, 'ends beyond'],
    [{ ulp: 1, dtype: ['r0='] }, 'no type ""'],
  ])('refuses %j', (overrides, text) => {
    const error = thrown(() => places(overrides));
    expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect(error.what).toContain(text);
  });

  it('asks for a type where no argument tells one, naming what it is for', () => {
    const untyped = kernelJsonSchema.parse(kernelJson());
    const error = thrown(() => tolerancePolicy(options({ ulp: 1 }), untyped, capture, []));
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

  const met = (overrides: object = {}): object => ({
    event: 'tolerance',
    region: 'r0',
    offset: 0,
    bytes: 4096,
    dtype: 'f32',
    atol: 0,
    rtol: 0,
    ulp: 1,
    elements: 1024,
    equal: 1000,
    within: 24,
    outside: 0,
    not_finite: 0,
    max_abs_error: 1e-7,
    max_rel_error: null,
    max_ulp_error: 1,
    ...overrides,
  });
  const run = async (answers: object[][], overrides: object = {}) => {
    let index = 0;
    const fake = fakeDeps({ 'kernloop-replay': fakeReplay(() => answers[index++] ?? []) }, workspace.native);
    const report = await validate(options({ reproducer, ulp: 1, dtype: ['r0=f32'], ...overrides }), fake);
    return { report, fake, text: fake.said.result.join('\n') };
  };

  it('hands the policy to the replay, and says it with the counts', async () => {
    const { report, fake, text } = await run([
      [met(), passed],
      [met({ within: 30, equal: 994, max_abs_error: 2e-7 }), passed],
    ]);
    expect(fake.calls[0]?.args).toContain('r0:0:4096=f32,atol=0,rtol=0,ulp=1');
    expect(report).toMatchObject({
      verdict: 'pass',
      tolerance: { ulp: 1, judged: [{ within: 30, max_abs_error: 2e-7 }] },
    });
    expect(report.tolerance?.policy).toContain('NaN passes only for NaN');
    expect(text).toContain('30 of 1,024 elements differ within the tolerance: atol 0, rtol 0, 1 ULP');
    const written: unknown = JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8'));
    expect(reportSchema.parse(written)).toMatchObject({ tolerance: { judged: [{ max_rel_error: null }] } });
  });

  it('fails, and shows the worst of what was outside', async () => {
    const { report, text } = await run([[met({ outside: 2, not_finite: 1, max_ulp_error: 9000 }), differed]], {
      replays: 1,
    });
    expect(report).toMatchObject({ verdict: 'fail', exit_code: 1 });
    expect(text).toContain('1 elements are NaN or infinite on one side only');
    expect(text).toContain('9,000');
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
