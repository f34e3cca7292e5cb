import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../support/files';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { difference, differed, fakeReplay, flag, passed } from '../testing/fake-programs';
import {
  captureJson,
  kernelJson,
  someDigest,
  TestWorkspace,
  writeReproducer,
  writeVariant,
} from '../testing/workspace';
import { validateOptionsSchema } from './options';
import { reportSchema } from './report-json';
import { validate } from './validate';

describe('validate', () => {
  let workspace: TestWorkspace;
  let reproducer: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
  });
  afterEach(() => workspace.dispose());

  // The adverse order has its own spec: adverse.spec.ts.
  const options = (overrides: object = {}) => validateOptionsSchema.parse({ reproducer, adverse: false, ...overrides });
  const deps = (answer?: (args: readonly string[]) => object[]): FakeDeps =>
    fakeDeps({ 'kernloop-replay': fakeReplay(answer) }, workspace.native);
  const replays = (fake: FakeDeps): (readonly string[])[] =>
    fake.calls.filter(({ program }) => program === 'kernloop-replay').map(({ args }) => args);
  const lastLine = (fake: FakeDeps): string => fake.said.result.at(-1) ?? '';

  it('passes by comparing with post, in several wave orders and poison patterns', async () => {
    const fake = deps();
    const report = await validate(options(), fake);
    expect(report).toMatchObject({
      verdict: 'pass',
      exit_code: 0,
      code: 'captured',
      compared_bytes: 4096,
      changed_bytes: 4096,
    });
    expect(
      replays(fake).map((args) => [args.includes('--compare'), flag(args, '--poison'), flag(args, '--seed')]),
    ).toEqual([
      [true, '0xA5', '1'],
      [true, '0x5A', '2'],
    ]);
    expect(lastLine(fake)).toBe(
      'Result: PASS (4,096 bytes compared with what the app computed in 2 replays, 4,096 of them changed by the kernel)',
    );
  });

  it('tells every replay the digests of what it must find, those of its report: a file may be swapped in for just as long', async () => {
    writeVariant(workspace);
    const [variant, capture, selfcheck] = ['build/variant.hsaco', 'capture/capture.json', 'capture/selfcheck.json'].map(
      (name) => join(reproducer, name),
    ) as [string, string, string];
    const built = readFileSync(variant);
    const digests = [capture, selfcheck, variant].map((path) => `${path}=${sha256(readFileSync(path))}`);
    const expected: unknown[] = [];
    const fake = deps((args) => {
      expected.push(args.flatMap((word, index) => (word === '--expect' ? [args[index + 1]] : [])));
      writeFileSync(variant, expected.length < 2 ? 'another' : built);
      writeFileSync(selfcheck, readFileSync(selfcheck, 'utf8').replace('"replays": 4', '"replays": 5'));
      return [passed];
    });
    const report = await validate(options(), fake);
    expect(expected).toEqual([digests, digests]);
    expect(`${variant}=${report.code_object_sha256}`).toBe(digests[2]);
    expect(`${capture}=${report.capture_sha256}`).toBe(digests[0]);
  });

  it('writes a report that follows its schema', async () => {
    await validate(options(), deps());
    const report: unknown = JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8'));
    expect(reportSchema.parse(report)).toMatchObject({ verdict: 'pass', selfcheck: 'verified' });
  });

  it('fails when one of the replays differs, and shows where', async () => {
    const fake = deps((args) => (flag(args, '--seed') === '2' ? [difference, differed] : [passed]));
    expect(await validate(options(), fake)).toMatchObject({ verdict: 'fail', exit_code: 1, differing_bytes: 4 });
    expect(fake.said.result.join('\n')).toContain('r0 at offset 8: expected 00, got 01; 4 bytes differ');
    expect(lastLine(fake)).toMatch(/^Result: FAIL \(4 of 4,096 bytes/);
  });

  it.each([
    ['a kernel that changes no byte', [{ ...passed, verdict: 'vacuous', changed_bytes: 0 }], 'vacuous', 3, 'VACUOUS'],
    [
      'a write in a dispatch that changed nothing',
      [difference, { ...passed, verdict: 'vacuous', changed_bytes: 0, differing_bytes: 4 }],
      'fail',
      1,
      'FAIL',
    ],
    [
      'a fault',
      [
        { event: 'fault', kind: 'memory', kernel: 'saxpy', pc: '0x10', lane: 3, address: '0xdead' },
        { ...passed, verdict: 'fault' },
      ],
      'fault',
      4,
      'FAIL',
    ],
    ['a hang', [{ ...passed, verdict: 'limit' }], 'limit', 4, 'FAIL'],
  ])('gives %s its own verdict and exit code', async (_name, events, verdict, exitCode, label) => {
    const fake = deps(() => events);
    expect(await validate(options(), fake)).toMatchObject({ verdict, exit_code: exitCode });
    expect(lastLine(fake)).toMatch(new RegExp(`^Result: ${label} \\(`));
  });

  it('fails a variant that the app could not launch, after one replay, and writes its report', async () => {
    const reason = 'saxpy cannot be launched as the app launches it: it was compiled for at most 64 threads a block';
    const fake = deps(() => [{ event: 'result', verdict: 'fail', code: 'LAUNCH_IMPOSSIBLE', reason }]);
    expect(await validate(options(), fake)).toMatchObject({ verdict: 'fail', exit_code: 1, summary: reason });
    expect(replays(fake)).toHaveLength(1);
    expect(lastLine(fake)).toBe(`Result: FAIL (${reason})`);
    expect(reportSchema.parse(JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8')))).toMatchObject({
      verdict: 'fail',
      summary: reason,
    });
  });

  it('names kernel, pc, lane and address of a fault in the result line', async () => {
    const fault = {
      event: 'fault',
      kind: 'memory',
      kernel: 'saxpy',
      pc: '0x10',
      instruction: 'global_store',
      lane: 3,
      address: '0xdead',
    };
    const fake = deps(() => [fault, { ...passed, verdict: 'fault' }]);
    await validate(options(), fake);
    expect(lastLine(fake)).toMatch(/saxpy.*0x10.*global_store.*lane 3.*0xdead/);
  });

  it('never passes a replay that compared nothing', async () => {
    expect(
      await failure(
        validate(
          options(),
          deps(() => [{ event: 'result', verdict: 'ran' }]),
        ),
      ),
    ).toMatchObject({ code: 'NATIVE_FAILED' });
    expect(
      await failure(
        validate(
          options(),
          deps(() => [{ ...passed, compared_bytes: 0 }]),
        ),
      ),
    ).toMatchObject({ code: 'NATIVE_FAILED' });
  });

  it('never passes a replay whose exit code contradicts its verdict', async () => {
    const lying = fakeDeps(
      {
        'kernloop-replay': ({ print }) => {
          print(passed);
          return 1;
        },
      },
      workspace.native,
    );
    expect(await failure(validate(options(), lying))).toMatchObject({ code: 'NATIVE_FAILED', exitCode: 5 });
  });

  it('limits a replay to a multiple of what the captured dispatch executed', async () => {
    workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({ execution: { wave_instructions: 5_000_000 } }),
    );
    rmSync(join(reproducer, 'capture', 'selfcheck.json'));
    writeReproducerSelfcheck(workspace);
    const fake = deps();
    await validate(options({ limitFactor: 30 }), fake);
    expect(flag(replays(fake)[0] ?? [], '--limit-wave-instructions')).toBe('150000000');
  });

  describe('refuses a capture that can judge nothing', () => {
    it('without a self-check', async () => {
      rmSync(join(reproducer, 'capture', 'selfcheck.json'));
      expect(await failure(validate(options(), deps()))).toMatchObject({ code: 'SELFCHECK_MISSING', exitCode: 2 });
    });

    it('with the self-check of another capture', async () => {
      workspace.write('kernels/app/saxpy/capture/capture.json', captureJson({ note: 'captured again' }));
      expect(await failure(validate(options(), deps()))).toMatchObject({ code: 'SELFCHECK_MISSING' });
    });

    it('with a failed self-check, and says why it failed', async () => {
      writeReproducer(workspace, {}, { verdict: 'failed', reason: 'depends on poison' });
      const error = await failure(validate(options(), deps()));
      expect(error).toMatchObject({ code: 'SELFCHECK_FAILED', exitCode: 1 });
      expect(error.what).toContain('depends on poison');
    });

    it('without a capture', async () => {
      rmSync(join(reproducer, 'capture'), { recursive: true });
      const error = await failure(validate(options(), deps()));
      expect(error).toMatchObject({ code: 'CAPTURE_MISSING', exitCode: 2 });
    });

    it('of a newer format', async () => {
      workspace.write('kernels/app/saxpy/capture/capture.json', { schema: 'kernloop.capture/2' });
      const error = await failure(validate(options(), deps()));
      expect(error).toMatchObject({ code: 'CAPTURE_INVALID', exitCode: 2 });
      expect(error.what).toContain('kernloop.capture/2');
    });

    describe('where the files name different code objects as the captured one', () => {
      const [other, third] = ['d'.repeat(64), 'e'.repeat(64)];
      const recipeOf = (captured: string): void => {
        workspace.write('kernels/app/saxpy/pristine/recipe.json', { code_object: { captured, recompiled: captured } });
      };

      it.each<[string, string, string, string]>([
        ['the recipe another', someDigest, other, 'keeps your edits'],
        ['kernel.json another', other, someDigest, 'brings kernel.json up to date'],
        ['each its own', other, third, 'keeps your edits'],
      ])('%s, and says which names what', async (_name, ofKernelJson, ofRecipe, next) => {
        workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ code_object: ofKernelJson }));
        recipeOf(ofRecipe);
        const fake = deps();
        const error = await failure(validate(options(), fake));
        expect([error.code, replays(fake)]).toEqual(['CAPTURE_MISMATCH', []]);
        expect(error.what.split('\n').slice(1)).toEqual([
          `capture/capture.json: ${someDigest}`,
          `pristine/recipe.json: ${ofRecipe}`,
          `kernel.json: ${ofKernelJson}`,
        ]);
        expect(error.hint).toContain(next);
      });

      it('but not where they agree, or where a kernel without source has the recipe of another day', async () => {
        recipeOf(someDigest);
        expect(await validate(options(), deps())).toMatchObject({ verdict: 'pass' });
        recipeOf(other);
        workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ language: 'none', source: null }));
        expect(await validate(options(), deps())).toMatchObject({ verdict: 'pass' });
      });
    });

    const gfx90a = 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-';
    it.each([
      ['another symbol', { symbol: '_Z5saxpyPfd' }, 'symbol _Z5saxpyPfd'],
      ['another ISA', { device: { kind: 'softgpu', isa: 'sm_90' } }, 'ISA sm_90'],
      ['another kind of device', { device: { kind: 'cuda', isa: gfx90a } }, 'device cuda'],
    ])('of another kernel than kernel.json says: %s', async (_name, edit, said) => {
      workspace.write('kernels/app/saxpy/kernel.json', kernelJson(edit));
      const fake = deps();
      const error = await failure(validate(options(), fake));
      expect([error.code, error.exitCode, replays(fake)]).toEqual(['CAPTURE_MISMATCH', 2, []]);
      expect(error.what).toContain(`, but kernel.json says ${said}`);
      expect(error.hint).toContain('kernloop extract saxpy');
    });

    it('but not one of a GPU that the software GPU stands for', async () => {
      workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ device: { kind: 'hsa', isa: gfx90a } }));
      expect(await validate(options(), deps())).toMatchObject({ verdict: 'pass' });
    });

    it('whose chunks are in no store, and names them', async () => {
      rmSync(join(reproducer, 'capture', 'chunks.pack'));
      const error = await failure(validate(options(), deps()));
      expect(error).toMatchObject({ code: 'CHUNK_MISSING', exitCode: 2 });
      expect(error.what).toContain('aaaa');
      expect(error.hint).toContain('extract-kernel');
    });
  });

  it('leaves no report of an earlier run when it cannot judge', async () => {
    await validate(options(), deps());
    rmSync(join(reproducer, 'capture', 'selfcheck.json'));
    await failure(validate(options(), deps()));
    expect(existsSync(join(reproducer, 'report.json'))).toBe(false);
  });

  it('neither removes nor replaces a report.json of the user, and replays nothing', async () => {
    const report = workspace.write('kernels/app/saxpy/report.json', '{ "verdict": "mine" }');
    const fake = deps();
    const error = await failure(validate(options(), fake));
    expect(error).toMatchObject({ code: 'TARGET_EXISTS', what: expect.stringContaining(report) as string });
    expect([readFileSync(report, 'utf8'), fake.calls]).toEqual(['{ "verdict": "mine" }', []]);
  });

  it('replaces no report.json that the user saves during the replays, and tells the verdict', async () => {
    const report = join(reproducer, 'report.json');
    const plain = deps();
    const run: typeof plain.run = (...args) => {
      workspace.write('kernels/app/saxpy/report.json', 'mine');
      return plain.run(...args);
    };
    const error = await failure(validate(options(), { ...plain, run }));
    expect([error.code, readFileSync(report, 'utf8')]).toEqual(['TARGET_EXISTS', 'mine']);
    expect(error.what).toContain('the verdict was PASS');
  });

  describe('which code is judged', () => {
    it('is what recompile built', async () => {
      const codeObject = writeVariant(workspace);
      const fake = deps();
      expect(await validate(options(), fake)).toMatchObject({ code: 'variant', variant: 'build/variant.hsaco' });
      const [args = []] = replays(fake);
      expect([flag(args, '--code-object'), flag(args, '--symbol')]).toEqual([codeObject, '_Z5saxpyPff']);
    });

    it('is never an older build of a source that was edited since, whatever the times of the files say', async () => {
      writeVariant(workspace);
      writeFileSync(join(reproducer, 'kernel_variant.hip'), '__global__ void saxpy() { /* edited */ }\n');
      const error = await failure(validate(options(), deps()));
      expect(error).toMatchObject({ code: 'VARIANT_STALE', exitCode: 2 });
      expect(error.what).toContain('kernel_variant.hip');
      expect(await failure(validate(options({ variant: 'build/variant.hsaco' }), deps()))).toMatchObject({
        code: 'VARIANT_STALE',
      });
    });

    it.each([
      [
        'edited',
        'kernel_variant.hip',
        'VARIANT_STALE',
        'kernel_variant.hip was changed after build/variant.hsaco was built',
      ],
      ['built again', 'build/variant.hsaco', 'VARIANT_STALE', 'build/variant.hsaco is another one since it was judged'],
      [
        'edited for the first time',
        'kernel_variant.hip',
        'VARIANT_MISSING',
        'kernel_variant.hip was edited but not compiled',
      ],
    ])('is never another one than that of the text in the end: %s', async (name, file, code, what) => {
      if (name !== 'edited for the first time') writeVariant(workspace);
      const fake = deps(() => {
        if (name === 'built again') writeVariant(workspace, { code_object_sha256: sha256('another') });
        writeFileSync(join(reproducer, file), 'another');
        return [passed];
      });
      const error = await failure(validate(options(), fake));
      expect(error).toMatchObject({ code, what: expect.stringContaining(what) as string });
      expect(error.what).toContain(': the verdict on the code before was PASS (');
      expect([existsSync(join(reproducer, 'report.json')), fake.said.result]).toEqual([false, []]);
    });

    it('is never a code object that recompile did not write', async () => {
      writeFileSync(writeVariant(workspace), 'tampered');
      expect(await failure(validate(options(), deps()))).toMatchObject({ code: 'VARIANT_STALE' });
    });

    it('is never the captured code when the source was edited but not compiled', async () => {
      writeFileSync(join(reproducer, 'kernel_variant.hip'), 'edited');
      expect(await failure(validate(options(), deps()))).toMatchObject({ code: 'VARIANT_MISSING', exitCode: 2 });
    });

    it('is the captured code when asked for, whatever was edited', async () => {
      writeFileSync(join(reproducer, 'kernel_variant.hip'), 'edited');
      expect(await validate(options({ variant: 'none' }), deps())).toMatchObject({ code: 'captured' });
    });

    it('is the captured code for a kernel without source', async () => {
      workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ language: 'none', source: null }));
      expect(await validate(options(), deps())).toMatchObject({ code: 'captured' });
    });

    it('is any code object by its path', async () => {
      workspace.write('kernels/app/saxpy/optimized.hsaco', 'fast');
      expect(await validate(options({ variant: 'optimized.hsaco' }), deps())).toMatchObject({
        variant: 'optimized.hsaco',
      });
    });

    it('must exist', async () => {
      expect(await failure(validate(options({ variant: 'nowhere.hsaco' }), deps()))).toMatchObject({
        code: 'VARIANT_MISSING',
      });
    });
  });

  it('judges what varies by the recorded ranges, and says how much that was', async () => {
    const varying = [{ region: 'r0', offset: 0, dtype: 'f32', count: 2, min: [1, 1], max: [2, 2] }];
    writeReproducer(workspace, {}, { verdict: 'nondeterministic', varying });
    const fake = deps(() => [{ ...passed, varying_bytes: 8 }]);
    await validate(options(), fake);
    expect(flag(replays(fake)[0] ?? [], '--known-varying')).toBe(join(reproducer, 'capture', 'selfcheck.json'));
    expect(lastLine(fake)).toContain('8 bytes judged by their recorded range');
  });

  it('says of intervals how sure they are', async () => {
    const varying = [{ region: 'r0', offset: 0, dtype: 'f32', count: 1, min: [1], max: [2], low: [0], high: [3] }];
    const calibration = { replays: 32, confidence: 0.99, miss_per_replay: 1e-6, is_settled: true };
    writeReproducer(workspace, {}, { verdict: 'nondeterministic', varying, calibration });
    const fake = deps(() => [{ ...passed, varying_bytes: 4 }]);
    await validate(options(), fake);
    expect(lastLine(fake)).toContain('4 bytes judged by the intervals of 32 replays (99 % confidence)');
  });

  it('begins with what the order of waves decides and nobody judged, and with nothing else is no pass', async () => {
    const varying = [{ region: 'r0', offset: 0, dtype: 'u8', count: 64, min: [], max: [], order_dependent: true }];
    writeReproducer(workspace, {}, { verdict: 'order-dependent', varying });
    const fake = deps(() => [{ ...passed, unjudged_bytes: 64 }]);
    expect(await validate(options(), fake)).toMatchObject({ unjudged_bytes: 64, selfcheck: 'order-dependent' });
    expect(flag(replays(fake)[0] ?? [], '--known-varying')).toBeDefined();
    expect(lastLine(fake)).toMatch(/PASS \(64 bytes NOT judged: the order of waves/);
    const vacuous = { ...passed, verdict: 'vacuous', unjudged_bytes: 64, reason: 'it depends on the order of waves' };
    const nothingElse = deps(() => [vacuous]);
    expect(await validate(options(), nothingElse)).toMatchObject({ verdict: 'vacuous', exit_code: 3 });
    expect(lastLine(nothingElse)).toMatch(/VACUOUS \(it depends on the order of waves; the role "ignore"/);
  });

  it('doubts the ranges of an older self-check where only they fail, and those of any where the captured code fails', async () => {
    const varying = [{ region: 'r0', offset: 8, dtype: 'f32', count: 1, min: [1], max: [2] }];
    writeReproducer(workspace, {}, { verdict: 'nondeterministic', varying });
    const fails = deps(() => [difference, { ...differed, varying_bytes: 4 }]);
    await validate(options({ variant: 'none' }), fails);
    expect(lastLine(fails)).toContain('this is the captured code itself');
    workspace.write('kernels/app/saxpy/optimized.hsaco', 'fast');
    const variant = deps(() => [difference, { ...differed, varying_bytes: 4 }]);
    await validate(options({ variant: 'optimized.hsaco' }), variant);
    expect(lastLine(variant)).toContain('older self-check');
    const elsewhere = deps(() => [
      { ...difference, offset: 12 },
      { ...differed, varying_bytes: 4 },
    ]);
    await validate(options({ variant: 'optimized.hsaco' }), elsewhere);
    expect(lastLine(elsewhere)).not.toContain('older self-check');
  });

  it('ignores only regions that no other argument needs', async () => {
    const arg = { name: null, type: 'float*', declared: null, element: 'f32', size: 8, kind: 'global_buffer' };
    const slot = (offset: number, region: string): object => ({ offset, size: 8, region });
    writeReproducer(workspace, {
      args: [
        { ...arg, index: 0, role: 'workspace', offset: 0 },
        { ...arg, index: 1, role: 'workspace', offset: 8 },
        { ...arg, index: 2, role: 'out', offset: 16 },
      ],
    });
    const region = (id: string): object => ({
      id,
      base: '0x1000',
      size: 64,
      pre: { chunks: [] },
      post: { chunks: [] },
    });
    workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({
        kernarg: { slots: [slot(0, 'r0'), slot(8, 'r1'), slot(16, 'r1')] },
        regions: [region('r0'), region('r1')],
      }),
    );
    writeReproducerSelfcheck(workspace);
    const fake = deps(() => [{ ...passed, ignored_bytes: 64 }]);
    await validate(options(), fake);
    expect(replays(fake)[0]?.filter((argument) => argument.startsWith('r'))).toEqual(['r0:0:64']);
    expect(lastLine(fake)).toContain('64 bytes ignored as workspace');
    const all = deps(() => [{ ...passed, verdict: 'vacuous', changed_bytes: 0, ignored_bytes: 64 }]);
    await validate(options(), all);
    expect(lastLine(all)).toContain('changes no byte beside what is ignored');
  });
});

/** Writes a self-check for the capture as it is now. */
function writeReproducerSelfcheck(workspace: TestWorkspace): void {
  const path = workspace.path('kernels/app/saxpy/capture/capture.json');
  const text = readFileSync(path, 'utf8');
  const kernel: unknown = JSON.parse(readFileSync(workspace.path('kernels/app/saxpy/kernel.json'), 'utf8'));
  writeReproducer(workspace, kernel as object, { capture_sha256: sha256(text) });
  writeFileSync(path, text);
}
