import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { sealed } from '../archive/selfcheck-seal';
import { join, relative, resolve } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay, flag } from '../testing/fake-programs';
import {
  captureJson,
  kernelJson,
  reproducerForEachTest,
  writeCapture,
  writeReproducer,
  writeVariant,
} from '../testing/workspace';
import { sha256OfFile } from '../support/files';
import { replayOptionsSchema } from './options';
import { replay } from './replay';

const iteration = (index: number, count: number): object => ({
  event: 'iteration',
  index,
  duration_ns: 5,
  counters: { lds: 0, wave_instructions: count },
});
const ran = { event: 'result', verdict: 'ran', wave_instructions: 10 };

describe('replay', () => {
  const made = reproducerForEachTest();

  const options = (overrides: object = {}) => replayOptionsSchema.parse({ reproducer: made.reproducer, ...overrides });
  const deps = (events: object[] = [iteration(0, 10), iteration(1, 30), ran]): FakeDeps =>
    fakeDeps({ 'kernloop-replay': fakeReplay(() => events) }, made.workspace.native);

  it('tells what was executed on the software GPU, and never a time', async () => {
    const fake = deps();
    const result = await replay(options({ iterations: 2 }), fake);
    expect(result).toMatchObject({
      verdict: 'ran',
      duration_ns: null,
      counters: { wave_instructions: { min: 10, median: 20, max: 30 } },
    });
    expect(Object.keys(result.counters)[0]).toBe('wave_instructions');
    expect(fake.said.result.join('\n')).not.toContain('duration');
  });

  it('says so where nothing proves that the capture replays as the app ran', async () => {
    const warned = async (): Promise<string> => {
      const fake = deps();
      await replay(options(), fake);
      return fake.said.warn.join();
    };
    expect(await warned()).toBe('');
    const capture = join(made.reproducer, 'capture', 'capture.json');
    const text = readFileSync(capture, 'utf8');
    writeFileSync(capture, `${text} `);
    expect(await warned()).toContain('capture: it was changed after its self-check');
    writeFileSync(capture, text);
    const selfcheck = join(made.reproducer, 'capture', 'selfcheck.json');
    const checked = JSON.parse(readFileSync(selfcheck, 'utf8')) as object;
    writeFileSync(selfcheck, JSON.stringify(sealed({ ...checked, verdict: 'failed' })));
    expect(await warned()).toContain('capture: its self-check failed (no reason given)');
    rmSync(selfcheck);
    expect(await warned()).toContain('capture: its self-check is missing');
  });

  it('takes no capture of another kernel, which another selection has left there', async () => {
    const kernel = { name: 'reduce(float*)', symbol: '_Z6reducePf', code_object: 'a'.repeat(64) };
    made.workspace.write('kernels/app/saxpy/capture/capture.json', captureJson({ kernel }));
    const error = await failure(replay(options(), deps()));
    expect(error).toMatchObject({ code: 'CAPTURE_MISMATCH', exitCode: 2 });
    expect(error.what).toBe('capture is of reduce(float*), but the kernel of this reproducer is saxpy(float*, float)');
  });

  it('takes a name that differs by what nvcc puts into it', async () => {
    const symbol = (id: string): string => `_ZN36_GLOBAL__N__${id}_4_k_cu_123456785saxpyEPff`;
    const kernel = { name: 'saxpy(float*, float)', symbol: symbol('0badcafe'), code_object: 'a'.repeat(64) };
    made.workspace.write('kernels/app/saxpy/capture/capture.json', captureJson({ kernel }));
    made.workspace.write('kernels/app/saxpy/kernel.json', kernelJson({ symbol: symbol('2c443d97') }));
    expect(await replay(options(), deps())).toMatchObject({ verdict: 'ran' });
  });

  it('says where a variant is looked for, and what is meant by a path from here', async () => {
    const error = await failure(replay(options({ variant: 'mine.hsaco' }), deps()));
    expect(error).toMatchObject({ code: 'VARIANT_MISSING' });
    expect(error.hint).toContain('--variant is relative to the reproducer; `kernloop recompile`');
    const near = await failure(replay(options({ variant: 'package.json' }), deps()));
    expect(near.hint).toContain(`did you mean ${relative(made.reproducer, resolve('package.json'))}?`);
  });

  it('does not call a replay that compared nothing more than that', async () => {
    const fake = deps();
    await replay(options(), fake);
    expect(fake.said.result.at(-1)).toBe('Result: RAN (2 replays; nothing was compared: validate does that)');
  });

  it.each([
    ['fault', 'the device faulted'],
    ['limit', 'ran past its limit'],
  ])('ends with exit code 4 for a %s, in the words of the device', async (verdict, what) => {
    const fake = deps([
      { event: 'fault', kind: verdict, text: 'in kernel saxpy at pc 0x10, lane 3' },
      { ...ran, verdict },
    ]);
    expect(await replay(options(), fake)).toMatchObject({ verdict, exit_code: 4 });
    expect(fake.said.result.at(-1)).toBe(`Result: FAIL (${what}: in kernel saxpy at pc 0x10, lane 3)`);
  });

  it.each([
    ['memory_access', ': 8 bytes behind region r0 (4 B)'],
    ['lds_out_of_range', ''],
    ['scratch_out_of_range', ''],
  ])('says which region is near to a %s, unless its address is none of global memory', async (kind, near) => {
    const region = { region: 'r0', position: 'behind', distance: 8, size: 4 };
    const fake = deps([
      { event: 'fault', kind, text: 'in kernel saxpy', near: region },
      { ...ran, verdict: 'fault' },
    ]);
    await replay(options(), fake);
    expect(fake.said.result.at(-1)).toBe(`Result: FAIL (the device faulted: in kernel saxpy${near})`);
  });

  it('refuses another target of the software GPU than the captured one, and names the way out', async () => {
    const refused = await failure(replay(options({ softgpu: 'gfx1030' }), deps()));
    expect(refused).toMatchObject({ code: 'DEVICE_MISMATCH' });
    expect(refused.what).toBe('the capture is of gfx90a, and --softgpu asks for gfx1030');
    expect(refused.hint).toMatch(/^leave --softgpu out; .*--offload-arch=gfx1030/);
  });

  it('names the folder that a misspelt one is near to', async () => {
    const near = made.reproducer.replace(/saxpy$/, 'saxp');
    const missing = await failure(replay(options({ reproducer: near }), deps()));
    expect(missing.hint).toContain(`did you mean ${made.reproducer}?`);
    const far = await failure(replay(options({ reproducer: made.reproducer.replace(/saxpy$/, 'zzzz') }), deps()));
    expect(far.hint).toMatch(/^name the folder/);
  });

  it('replays the capture in capture/ where several are there, and others or all when asked', async () => {
    for (const [number, kernel] of [
      [2, {}],
      [4, { name: 'saxpy<2>', symbol: '_Z5saxpyILi2EE', code_object: 'c'.repeat(64) }],
    ] as const) {
      const overrides = Object.keys(kernel).length > 0 ? { kernel } : {};
      made.workspace.write(`kernels/app/saxpy/captures/${number}/capture.json`, captureJson(overrides));
      made.workspace.write(`kernels/app/saxpy/captures/${number}/chunks.pack`, '');
    }
    const folders = (fake: FakeDeps): (string | undefined)[] =>
      fake.calls.map(({ args }) => flag(args, '--capture')?.slice(made.reproducer.length + 1));
    const main = deps();
    expect(await replay(options(), main)).toMatchObject({ dispatch: 1, capture: 'capture', dispatches: [] });
    expect(folders(main)).toEqual(['capture']);
    const other = deps();
    expect(await replay(options({ capture: '4' }), other)).toMatchObject({ capture: 'captures/4', kernel: 'saxpy<2>' });
    expect(folders(other)).toEqual(['captures/4']);

    const all = deps();
    const result = await replay(options({ capture: 'all' }), all);
    expect(folders(all)).toEqual(['capture', 'captures/2']);
    expect(result.dispatches.map(({ dispatch, iterations }) => [dispatch, iterations])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(all.said.result).toContain('not replayed: dispatch 4 (captures/4) is of saxpy<2>');
    expect(all.said.result.at(-1)).toBe(
      'Result: RAN (2 captured dispatches; nothing was compared: validate does that)',
    );
    expect(await failure(replay(options({ capture: 'all', dump: 'd' }), deps()))).toMatchObject({ code: 'USAGE' });
  });

  it.each([
    [0, 'both gave what the app computed; validate judges'],
    [9, 'what was compared differs by dispatch; validate judges'],
  ])('sums up what a comparison of several found, of which the second differs in %d bytes', async (bytes, words) => {
    made.workspace.write('kernels/app/saxpy/captures/2/capture.json', captureJson());
    made.workspace.write('kernels/app/saxpy/captures/2/chunks.pack', '');
    writeVariant(made.workspace);
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) => [
          ...['captured', 'variant'].map((side) => ({
            event: 'checked',
            side,
            compared_bytes: 800,
            differing_bytes: side === 'variant' && flag(args, '--capture')?.endsWith('/2') ? bytes : 0,
          })),
          ...['captured', 'variant'].map((side) => ({ ...iteration(0, 10), side })),
          ran,
        ]),
      },
      made.workspace.native,
    );
    await replay(options({ capture: 'all', compare: true }), fake);
    expect(fake.said.result.at(-1)).toBe(`Result: RAN (2 captured dispatches; ${words})`);
  });

  it('ends with the exit code of the worst of several', async () => {
    made.workspace.write('kernels/app/saxpy/captures/2/capture.json', captureJson());
    made.workspace.write('kernels/app/saxpy/captures/2/chunks.pack', '');
    const fault = [
      { event: 'fault', kind: 'fault', text: 'in kernel saxpy' },
      { ...ran, verdict: 'fault' },
    ];
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay((args) =>
          flag(args, '--capture')?.endsWith('/2') ? fault : [iteration(0, 10), ran],
        ),
      },
      made.workspace.native,
    );
    expect(await replay(options({ capture: '1,2' }), fake)).toMatchObject({
      exit_code: 4,
      verdict: 'fault',
      capture: 'captures/2',
    });
    expect(fake.said.result.at(-1)).toMatch(
      /^Result: FAIL \(1 of 2 captured dispatches; dispatch 2: FAIL \(the device/,
    );
  });

  it('says that the code object of reproducer.py is older than the edit, unless it is asked for', async () => {
    const { workspace } = made;
    const [folder, source] = ['kernels/app/saxpy', 'kernel_variant.py'];
    const place = { file: 'app/saxpy.py', line: 1, translation_unit: 'app/saxpy.py', variant: source };
    writeReproducer(workspace, { language: 'triton', source: place });
    for (const copy of [folder, `${folder}/pristine`]) workspace.write(`${copy}/${source}`, 'edited = 0\n');
    const candidate = workspace.write(`${folder}/build/candidate.hsaco`, 'code');
    const launch = { grid: [1, 1, 1], block: [64, 1, 1], shared: 0 };
    workspace.write(`${folder}/build/candidate.json`, {
      ...{ schema: 'kernloop.triton-candidate/1', code_object: 'candidate.hsaco', outside: [], system: [] },
      code_object_sha256: sha256OfFile(candidate),
      launch: { ...launch, num_ctas: 1, global_scratch_size: 0, profile_scratch_size: 0 },
      sources: { [source]: sha256OfFile(workspace.path(folder, source)) },
    });
    const path = workspace.write(`${folder}/${source}`, 'edited = 1\n');
    writeVariant(workspace, { sources: { [source]: sha256OfFile(path) } });
    const fake = deps();
    expect(await replay(options(), fake)).toMatchObject({ code: 'variant build/variant.hsaco' });
    expect(fake.said.warn).toContain(
      'build/candidate.hsaco is of the text before kernel_variant.py was edited, and is not taken: --variant build/candidate.hsaco takes it',
    );
    const asked = deps();
    await replay(options({ variant: 'build/candidate.hsaco' }), asked);
    expect(asked.said.warn.join()).not.toContain('is not taken');
  });

  it('hands iterations, seed and threads to the program', async () => {
    const fake = deps();
    await replay(options({ iterations: 7, warmup: 2, seed: 5, threads: 1 }), fake);
    const { args } = fake.calls[0] ?? { args: [] };
    expect(['--iterations', '--warmup', '--seed', '--threads'].map((name) => flag(args, name))).toEqual([
      '7',
      '2',
      '5',
      '1',
    ]);
    expect(args).not.toContain('--compare');
  });

  it('shows a variant beside the captured code', async () => {
    writeVariant(made.workspace);
    const fake = fakeDeps(
      {
        'kernloop-replay': fakeReplay(() => [
          { ...iteration(0, 100), side: 'captured' },
          { ...iteration(0, 50), side: 'variant' },
          ran,
        ]),
      },
      made.workspace.native,
    );
    const result = await replay(options({ compare: true }), fake);
    expect(result.counters['wave_instructions']?.median).toBe(50);
    expect(fake.calls.filter(({ program }) => program === 'kernloop-replay')).toHaveLength(1);
    expect(fake.calls[0]?.args).toContain('--side-by-side');
    expect(result.baseline?.counters['wave_instructions']?.median).toBe(100);
    const text = fake.said.result.join('\n');
    expect(text).toMatch(/wave_instructions +100 +50 +-50 +0\.500×/);
    expect(text).toContain('1 of 1 figures differ');
    expect(text).not.toMatch(/^lds/m);
  });

  it('says that a variant that does the same does the same', async () => {
    writeVariant(made.workspace);
    const sides = ['captured', 'variant'].map((side) => ({ ...iteration(0, 100), side }));
    const fake = deps([...sides, ran]);
    await replay(options({ compare: true }), fake);
    expect(fake.said.result.join('\n')).toMatch(/wave_instructions +100 +100 +- +1\.000×\nall 1 figures are the same/);
  });

  it('says when the figures vary, and what they mean where they do not', async () => {
    const varying = deps();
    await replay(options({ iterations: 2 }), varying);
    expect(varying.said.result.join('\n')).toContain('the figures vary');
    const counters = {
      wave_instructions: 10,
      valu: 4,
      valu_lanes: 128,
      lane_bytes: 512,
      memory_transactions: 64,
      lds_passes: 8,
      lds_bank_conflicts: 2,
    };
    const exact = deps([{ event: 'iteration', index: 0, counters }, ran]);
    await replay(options(), exact);
    expect(exact.said.result).toEqual(
      expect.arrayContaining([
        'lanes active in vector ALU instructions: 32.0',
        'bytes a memory transaction of 64: 8.0',
        'passes through LDS lost to conflicts: 25.0%',
      ]),
    );
  });

  it('shows hot spots only where asked for, and why there are no lines', async () => {
    const spots = [
      { event: 'hot_spot', pc: '0x10', offset: '0x8', code_object: 'ab', instruction: 's_nop 0', executed: 3 },
      { event: 'hot_spot', pc: '0x14', offset: '0xc', code_object: 'ab', instruction: 's_endpgm', executed: 9 },
    ];
    writeVariant(made.workspace);
    const fake = deps([iteration(0, 12), ...spots, ran]);
    expect((await replay(options(), fake)).hot_spots).toBeNull();
    expect(fake.calls[0]?.args).toContain('--profile');
    const result = await replay(options({ hotSpots: true }), fake);
    expect(result.hot_spots).toMatchObject({
      no_lines: 'what ran is not this file itself but a part of it',
      instructions: [{ offset: '0xc' }, { offset: '0x8' }],
    });
    expect(fake.said.result.join('\n')).toMatch(/executed +at +instruction\n +9 +0xc +s_endpgm\n +3 +0x8 +s_nop 0/);
  });

  it('shows the hot spots of each side', async () => {
    writeVariant(made.workspace);
    const spots = ['captured', 'variant'].map((side) => ({
      ...{ event: 'hot_spot', side, pc: '0x10', offset: '0x8', code_object: 'ab' },
      ...{ instruction: `v_${side}`, executed: 3 },
    }));
    const fake = deps([...spots, ran]);
    const result = await replay(options({ compare: true, hotSpots: true }), fake);
    expect(result.hot_spots?.instructions).toMatchObject([{ instruction: 'v_variant' }]);
    expect(result.baseline?.hot_spots?.instructions).toMatchObject([{ instruction: 'v_captured' }]);
  });

  it('refuses to order by conflicts where none are counted', async () => {
    const isa = 'amdgcn-amd-amdhsa--gfx1030';
    writeCapture(made.workspace, { device: { kind: 'softgpu', identity: 'softgpu-gfx1030-1', isa } });
    const fake = deps();
    const gfx1030 = (hotSpotsBy: string) => options({ hotSpots: true, hotSpotsBy });
    expect(await failure(replay(gfx1030('conflicts'), fake))).toMatchObject({
      code: 'USAGE',
      what: expect.stringContaining('not counted on gfx1030') as string,
    });
    expect(fake.calls).toHaveLength(0);
    expect((await replay(gfx1030('splits'), fake)).verdict).toBe('ran');
  });

  it('has nothing to compare where there is no variant', async () => {
    expect(await failure(replay(options({ compare: true }), deps()))).toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it('refuses to replay on another kind of device than the captured one', async () => {
    writeCapture(made.workspace, { device: { kind: 'cuda', identity: 'cuda-1', isa: 'sm_90' } });
    expect(await failure(replay(options(), deps()))).toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it.each([
    ['softgpu', 'gfx1030', undefined, 'gfx1030'],
    ['softgpu', 'gfx942', undefined, 'gfx942'],
    ['softgpu', 'gfx1100', undefined, 'gfx1100'],
    ['hsa', 'gfx942', undefined, 'gfx942'],
    ['softgpu', 'gfx1030', 'gfx1030', 'gfx1030'],
  ])('replays a capture of %s on %s, --softgpu %s, as %s', async (kind, captured, softgpu, presented) => {
    const isa = `amdgcn-amd-amdhsa--${captured}`;
    writeCapture(made.workspace, { device: { kind, identity: `${kind}-${captured}-1`, isa } });
    const fake = deps();
    await replay(options({ softgpu }), fake);
    expect(fake.calls.map(({ env }) => env?.['KERNLOOP_SOFTGPU'])).toEqual([presented]);
    expect(/of hardware \(hsa-gfx942-1\)/.test(fake.said.warn.join())).toBe(kind === 'hsa');
  });

  it('refuses by name what hardware ran that the software GPU does not present', async () => {
    const isa = 'amdgcn-amd-amdhsa--gfx1101';
    writeCapture(made.workspace, { device: { kind: 'hsa', identity: 'hsa-gfx1101-1', isa } });
    expect(await failure(replay(options(), deps()))).toMatchObject({
      code: 'DEVICE_MISMATCH',
      what: expect.stringContaining('gfx1101') as string,
    });
  });

  it.each([
    ['SYMBOL_MISSING', 2],
    ['DISK_FULL', 5],
    ['CHUNK_CORRUPT', 2],
  ])('passes the error %s of the program on with exit code %i', async (code, exitCode) => {
    const fake = fakeDeps(
      {
        'kernloop-replay': ({ print }) => {
          print({ event: 'error', code, message: 'what', hint: 'do' });
          return 2;
        },
      },
      made.workspace.native,
    );
    expect(await failure(replay(options(), fake))).toMatchObject({ code, exitCode, what: 'what', hint: 'do' });
  });

  it.each([
    ['a crash', { exitCode: null, signal: 'SIGSEGV' }, 'killed by SIGSEGV'],
    ['silence', { exitCode: 0 }, 'without a result'],
  ])('is an error after %s', async (_name, end, message) => {
    const error = await failure(replay(options(), fakeDeps({ 'kernloop-replay': () => end }, made.workspace.native)));
    expect(error).toMatchObject({ code: 'NATIVE_FAILED', exitCode: 5 });
    expect(error.what).toContain(message);
  });

  it.each([['not json'], ['{"event":"result","verdict":"great"}'], ['[]']])(
    'is an error when the program prints %s',
    async (line) => {
      const fake = fakeDeps(
        {
          'kernloop-replay': ({ print }) => {
            print(line);
            return 0;
          },
        },
        made.workspace.native,
      );
      expect(await failure(replay(options(), fake))).toMatchObject({ code: 'NATIVE_FAILED' });
    },
  );
});
