import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keptPaths } from '../reproducer/kept-results';
import { openReproducer, chooseCode } from '../reproducer/reproducer';
import {
  fakeClang,
  installFakes,
  pgoPrograms,
  pluginOption,
  realCodeObject,
  writeRecipe,
} from '../pgo/testing/fake-llvm';
import { pgoShow } from '../pgo-show/show';
import { pgoShowOptionsSchema } from '../pgo-show/options';
import { buildReproducer } from '../pgo-build/reproducer';
import { buildReproducerSchema } from '../pgo-build/options';
import { generateFromReproducer, generateTask } from '../pgo-generate/reproducer';
import { generateFromReproducerSchema } from '../pgo-generate/options';
import { instrumentReproducer } from '../pgo-instrument/reproducer';
import { instrumentReproducerSchema } from '../pgo-instrument/options';
import { mergeOfReproducer } from '../pgo-merge/pgo-merge';
import { mergeOfReproducerSchema } from '../pgo-merge/options';
import { KernloopError } from '../support/error';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { fakeReplay, passed } from '../testing/fake-programs';
import { reproducerForEachTest } from '../testing/workspace';
import { useInReproducerSchema } from './options';
import { useInReproducer } from './reproducer';

let code: Buffer;
beforeAll(() => {
  code = realCodeObject();
});

describe('the stages of PGO on a reproducer', () => {
  const made = reproducerForEachTest();
  let env: Record<string, string>;
  beforeEach(() => {
    env = installFakes(made.workspace);
    writeRecipe(made.workspace);
  });

  const depsWith = (more: Readonly<Record<string, FakeProgram>> = {}): FakeDeps =>
    fakeDeps(pgoPrograms(code, more), made.workspace.native, { env });
  const here = () => ({ reproducer: made.reproducer });
  const instrument = (options: object, deps: FakeDeps) =>
    instrumentReproducer(instrumentReproducerSchema.parse({ ...here(), ...options }), deps);
  const generate = (deps: FakeDeps) => generateFromReproducer(generateFromReproducerSchema.parse(here()), deps);
  const merge = (options: object, deps: FakeDeps) =>
    mergeOfReproducer(mergeOfReproducerSchema.parse({ ...here(), ...options }), deps);
  const build = (deps: FakeDeps) => buildReproducer(buildReproducerSchema.parse(here()), deps);
  const use = (deps: FakeDeps) => useInReproducer(useInReproducerSchema.parse(here()), deps);
  const compiles = (deps: FakeDeps) =>
    deps.calls.filter(({ program, args }) => program === 'clang++' && !args.includes('--version'));
  const failure = async (work: Promise<unknown>): Promise<KernloopError> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof KernloopError) return error;
    throw new Error(`no KernloopError: ${String(error)}`);
  };
  const profiled = async (deps: FakeDeps): Promise<void> => {
    await generate(deps);
    await merge({}, deps);
  };

  it('instrument with every option said to the plugin by words of the command, and nothing through the environment', async () => {
    const deps = depsWith();
    await instrument({ sample: 'blocks:8', slots: 64, uniform: 'full-mask' }, deps);
    const [call] = compiles(deps);
    if (!call) throw new Error('nothing was compiled');
    expect(pluginOption(call, 'kernloop-pgo')).toBe('generate');
    expect(pluginOption(call, 'kernloop-pgo-sample')).toBe('blocks:8');
    expect(pluginOption(call, 'kernloop-pgo-slots')).toBe('64');
    expect(pluginOption(call, 'kernloop-pgo-uniform')).toBe('full-mask');
    expect(call.args.find((word) => word.startsWith('-fpass-plugin='))).toMatch(
      /\.kernloop\/pgo\/pass-\w+\/kernloop-pgo-pass-22\.so$/,
    );
    expect(call.args).toEqual(
      expect.arrayContaining(['--offload-arch=gfx90a', '-O2', '-std=c++11', '-mcode-object-version=4']),
    );
    expect(Object.keys(call.env).filter((name) => /PGO|PROFILE/.test(name))).toEqual([]);
  });

  it('build the plugin once, and instrument once for one source and one set of options', async () => {
    const deps = depsWith();
    await instrument({}, deps);
    const again = await instrument({}, deps);
    await instrument({ sample: 'blocks:2' }, deps);
    expect(again.up_to_date).toBe(true);
    expect(compiles(deps)).toHaveLength(2);
    expect(deps.calls.filter(({ program, args }) => program === 'cmake' && args.includes('--build'))).toHaveLength(1);
  });

  it.each<[string, () => void]>([
    [
      'the source',
      () => made.workspace.write('kernels/app/saxpy/kernel_variant.hip', '__global__ void saxpy() { ; }\n'),
    ],
    ['the recipe', () => writeRecipe(made.workspace, { arguments: ['-O3', '-x', 'hip'] })],
    ['the compiler', () => made.workspace.write('llvm/bin/clang++', '#!/bin/false another\n')],
    ['a device library', () => made.workspace.write('rocm/amdgcn/bitcode/ockl.bc', 'another')],
    ['a header that may hide another', () => made.workspace.write('kernels/app/saxpy/new.h', '')],
    [
      'the code object itself',
      () => made.workspace.write('kernels/app/saxpy/pgo/instrumented/instrumented.hsaco', 'x'),
    ],
  ])('instrument again after a change of %s', async (_name, change) => {
    const deps = depsWith();
    await instrument({}, deps);
    change();
    await instrument({}, deps);
    expect(compiles(deps)).toHaveLength(2);
  });

  it('run on a machine without LLVM what was built on another', async () => {
    await instrument({}, depsWith());
    const elsewhere = fakeDeps(pgoPrograms(code), made.workspace.native, {
      env: { KERNLOOP_LLVM: made.workspace.path('nowhere'), ROCM_PATH: made.workspace.path('rocm') },
    });
    await expect(generateTask(generateFromReproducerSchema.parse(here()), elsewhere)).resolves.toBe(true);
    // The other machine has another C library.
    const file = 'kernels/app/saxpy/pgo/instrumented/build.json';
    const json = JSON.parse(made.workspace.read(file)) as { system: Record<string, string> };
    json.system[made.workspace.write('usr/include/math.h', 'another')] = 'b'.repeat(64);
    made.workspace.write(file, json);
    await expect(generateTask(generateFromReproducerSchema.parse(here()), elsewhere)).resolves.toBe(true);
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', 'edited\n');
    const error = await failure(generateTask(generateFromReproducerSchema.parse(here()), elsewhere));
    expect(error.code).toBe('PGO_BUILD_MISSING');
  });

  it('say what of LLVM 22 is missing, how to get it, and which other is there', async () => {
    rmSync(made.workspace.path('llvm/bin/llvm-profdata'));
    made.workspace.write('path/clang++-19', '');
    const deps = depsWith();
    const error = await failure(instrument({}, { ...deps, env: { ...env, PATH: made.workspace.path('path') } }));
    expect([error.code, error.exitCode]).toEqual(['ENVIRONMENT_LLVM_MISSING', 5]);
    expect(error.what).toMatch(/llvm-profdata-22 not found.*LLVM .*19/);
    expect(error.hint).toMatch(/apt-get install llvm-22/);
  });

  it('refuse an LLVM of another major by its name', async () => {
    const other: FakeProgram = ({ print }) => (print('clang version 23.1.0'), 0);
    const error = await failure(instrument({}, depsWith({ 'clang++': other })));
    expect([error.code, error.what]).toEqual([
      'ENVIRONMENT_LLVM_MISSING',
      expect.stringMatching(/LLVM 23.*LLVM 22 alone/),
    ]);
  });

  it('say of Triton that they do not build it', async () => {
    made.workspace.write('kernels/app/saxpy/kernel.json', {
      ...(JSON.parse(made.workspace.read('kernels/app/saxpy/kernel.json')) as object),
      language: 'triton',
    });
    const stages = [() => instrument({}, depsWith()), () => merge({}, depsWith()), () => use(depsWith())];
    for (const stage of stages) expect(await failure(stage())).toMatchObject({ code: 'PGO_UNSUPPORTED', exitCode: 2 });
  });

  it('say why a plugin could not be built, and leave nothing that could be taken for one', async () => {
    const cmake: FakeProgram = ({ args }) =>
      args.includes('--build') ? { exitCode: 1, stdoutTail: 'plan.cpp:3: error: no member named x\n' } : 0;
    const error = await failure(instrument({}, depsWith({ cmake })));
    expect([error.code, error.what]).toEqual(['PGO_PLUGIN_FAILED', expect.stringMatching(/no member named x/)]);
    await instrument({}, depsWith());
  });

  it('count in a replay of the capture that is judged, and keep the raw files', async () => {
    const deps = depsWith();
    const result = await generate(deps);
    expect(result).toMatchObject({
      arch: 'gfx90a',
      dispatches: [{ dispatch: 1, verdict: 'pass', wave_instructions: 4000 }],
    });
    const replay = deps.calls.find(({ args }) => args.includes('--lens'));
    expect(replay?.args).toEqual(expect.arrayContaining(['--compare', '--code-object']));
    expect(existsSync(join(made.reproducer, 'pgo/raw/1.amdgcn-amd-amdhsa.c0.profraw'))).toBe(true);
    expect(deps.said.result.join('\n')).toMatch(/4\.00× the captured code/);
  });

  it.each<[string, (deps: FakeDeps) => Promise<unknown>]>([
    ['instrumented', (deps) => instrument({ sample: 'blocks:8' }, deps)],
    ['raw', generate],
    ['variants', build],
  ])('remove no file of the user from pgo/%s, and replace their own', async (folder, make) => {
    await profiled(depsWith());
    await build(depsWith());
    await profiled(depsWith());
    const path = made.workspace.write(`kernels/app/saxpy/pgo/${folder}/notes.txt`, 'mine');
    rmSync(join(made.reproducer, 'pgo/variants/build.json'));
    expect(await failure(make(depsWith()))).toMatchObject({
      code: 'FILE_FOREIGN',
      what: expect.stringContaining(path) as string,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('warn where the instrumented code computes something else', async () => {
    const replay = fakeReplay(() => [{ ...passed, verdict: 'fail', differing_bytes: 4 }]);
    const deps = depsWith({ 'kernloop-replay': replay });
    await generate(deps);
    expect(deps.said.warn.join('\n')).toMatch(/leaves other bytes in memory/);
  });

  it('end where the instrumented code runs past its limit, and keep the profile of before', async () => {
    await generate(depsWith());
    const replay = fakeReplay(() => [{ ...passed, verdict: 'limit' }]);
    const error = await failure(generate(depsWith({ 'kernloop-replay': replay })));
    expect([error.code, error.hint]).toEqual(['DEVICE_LIMIT', expect.stringMatching(/limit-factor/)]);
    expect(existsSync(join(made.reproducer, 'pgo/raw/generate.json'))).toBe(true);
  });

  it('merge what is named, with weights, and refuse what is not there', async () => {
    const deps = depsWith();
    await generate(deps);
    const raw = join(made.reproducer, 'pgo/raw');
    await merge({ input: [`${raw},3`, join(raw, '1.amdgcn-amd-amdhsa.c0.profraw')] }, deps);
    const call = deps.calls.find(({ program, args }) => program === 'kernloop-pgo' && args[0] === 'merge');
    const inputs = call?.args.filter((_, index) => call.args[index - 1] === '--weighted-input');
    const file = join(raw, '1.amdgcn-amd-amdhsa.c0.profraw');
    expect(inputs).toEqual([`3,${file}`, `1,${file}`]);
    expect(call?.args).toEqual(expect.arrayContaining(['--arch', 'gfx90a']));
    expect(await failure(merge({ input: ['/nowhere'] }, deps))).toMatchObject({ code: 'PGO_PROFILE_MISSING' });
    expect(await failure(merge({ input: [`${raw},0`] }, deps))).toMatchObject({ code: 'USAGE' });
  });

  it('build the compiler as it is without our plugin, and each gate with it', async () => {
    const deps = depsWith();
    await profiled(deps);
    const before = compiles(deps).length;
    const result = await build(deps);
    const calls = compiles(deps).slice(before);
    expect(
      calls.map((call) => [
        pluginOption(call, 'kernloop-pgo') ?? 'none',
        pluginOption(call, 'kernloop-pgo-gate') ?? '',
      ]),
    ).toEqual([
      ['none', ''],
      ['use', ''],
      ['use', 'off'],
      ['use', 'uniform'],
      ['use', 'flatten'],
      ['use', 'wave'],
    ]);
    expect(calls[0]?.args.some((word) => word.includes('fpass-plugin'))).toBe(false);
    // This option miscompiles convergent code (clang-arguments.ts).
    expect(calls.map(({ args }) => args.includes('-disable-chr'))).toEqual([false, true, true, true, true, true]);
    expect(result.variants.map(({ name, score }) => [name, score])).toEqual([
      ['base', 128],
      ['off', 64],
      ['uniform', 96],
      ['flatten', 96],
      ['wave', 32],
    ]);
    await build(deps);
    expect(compiles(deps)).toHaveLength(before + 6);
    made.workspace.write('kernels/app/saxpy/pgo/merged.profdata', 'another profile');
    await build(deps);
    expect(compiles(deps)).toHaveLength(before + 12);
  });

  it('name the function whose profile is of other code', async () => {
    const refuse = (call: { args: readonly string[] }): string | undefined =>
      pluginOption(call, 'kernloop-pgo') === 'use'
        ? 'kernloop-pgo: the profile /x/merged.profdata cannot be used: it does not fit _Z5saxpyPff (hash 0x12 here): hash mismatch'
        : undefined;
    const deps = depsWith({ 'clang++': fakeClang(code, refuse) });
    await profiled(deps);
    const error = await failure(build(deps));
    expect([error.code, error.what]).toEqual(['PGO_PROFILE_STALE', expect.stringMatching(/_Z5saxpyPff/)]);
    expect(existsSync(join(made.reproducer, 'pgo/variants'))).toBe(false);
  });

  it('tell an error of the source from one of the profile', async () => {
    const deps = depsWith();
    await profiled(deps);
    const error = await failure(
      build(depsWith({ 'clang++': fakeClang(code, () => "use of undeclared identifier 'z'") })),
    );
    expect(error.code).toBe('COMPILE_FAILED');
  });

  it('keep the best, and put it where replay and validate find it', async () => {
    const deps = depsWith();
    await profiled(deps);
    const result = await use(deps);
    expect(result).toMatchObject({ kept: 'wave', selector: 'wave', placed: { file: 'build/optimized.hsaco' } });
    // A report shows what users replay, not what this stage measures.
    expect(existsSync(keptPaths(made.reproducer).folder)).toBe(false);
    expect(chooseCode(openReproducer(made.reproducer), undefined)).toMatchObject({ shown: 'build/optimized.hsaco' });
    const count = deps.calls.length;
    expect(await use(deps)).toEqual(result);
    expect(deps.calls.slice(count).map(({ program }) => program)).not.toContain('kernloop-replay');
    rmSync(join(made.reproducer, 'build/optimized.hsaco'));
    await use(deps);
    expect(existsSync(join(made.reproducer, 'build/optimized.hsaco'))).toBe(true);
  });

  it('never have the kept variant taken for what an edited source gives', async () => {
    const deps = depsWith();
    await profiled(deps);
    await use(deps);
    made.workspace.write('kernels/app/saxpy/kernel_variant.hip', '__global__ void saxpy() { ; }\n');
    expect(() => chooseCode(openReproducer(made.reproducer), undefined)).toThrow('was edited but not compiled');
  });

  it("leave a user's code object alone, and say where the kept one is", async () => {
    const deps = depsWith();
    await profiled(deps);
    made.workspace.write('kernels/app/saxpy/build/optimized.hsaco', 'mine');
    expect(await use(deps)).toMatchObject({ kept: 'wave', placed: null });
    expect(readFileSync(join(made.reproducer, 'build/optimized.hsaco'), 'utf8')).toBe('mine');
    expect(deps.said.warn.join('\n')).toMatch(/optimized.hsaco is yours and stays.*pgo\/variants\/wave.hsaco/);
  });

  it('keep nothing that is wrong, and take away what was kept before', async () => {
    const deps = depsWith();
    await profiled(deps);
    await use(deps);
    const wrong = fakeReplay((args) =>
      args.includes('--compare')
        ? [{ ...passed, verdict: 'fail', differing_bytes: 4 }]
        : [
            { event: 'iteration', index: 0, counters: { wave_instructions: 1 } },
            { ...passed, verdict: 'ran' },
          ],
    );
    made.workspace.write(made.workspace.native.replay, 'another replay');
    const result = await use(depsWith({ 'kernloop-replay': wrong }));
    expect(result).toMatchObject({
      kept: null,
      placed: null,
      reason: expect.stringMatching(/not right even without/) as string,
    });
    expect(existsSync(join(made.reproducer, 'build/optimized.hsaco'))).toBe(false);
  });

  it('show counts, waves and spills by block and by line', async () => {
    const deps = depsWith();
    await profiled(deps);
    await use(deps);
    const shown = await pgoShow(pgoShowOptionsSchema.parse({ ...here() }), deps);
    expect(shown.functions[0]?.blocks).toEqual([
      expect.objectContaining({ lanes: 1024, waves: 16, uniform_share: 1, letter: 'U', spill_store_dwords: 2 }),
      expect.objectContaining({ lanes: 16, waves: 8, uniform_share: 0, letter: 'D', spill_store_dwords: 0 }),
    ]);
    expect(shown).toMatchObject({ spills_of: 'wave', lines: [{ file: 'kernel_variant.hip', line: 1, waves: 16 }] });
    await pgoShow(pgoShowOptionsSchema.parse({ ...here(), source: true, spills: 'base' }), deps);
    expect(deps.said.result.join('\n')).toMatch(/1,024 +16 +100.0% +U +8\+0 +1 +__global__ void saxpy/);
  });

  it('say what is missing where there is no profile', async () => {
    for (const stage of [build(depsWith()), use(depsWith()), merge({}, depsWith())])
      expect(await failure(stage)).toMatchObject({
        code: 'PGO_PROFILE_MISSING',
        hint: expect.stringMatching(/pgo-generate/) as string,
      });
  });
});
