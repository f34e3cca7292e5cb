import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { failure } from '../testing/failure';
import {
  appRecorder,
  installFakes,
  pgoPrograms,
  pluginOption,
  realCodeObject,
  writeApp,
} from '../pgo/testing/fake-llvm';
import { generateFromApp } from '../pgo-generate/app';
import { generateFromAppSchema } from '../pgo-generate/options';
import { instrumentApp } from '../pgo-instrument/app';
import { instrumentAppSchema } from '../pgo-instrument/options';
import { mergeOfAppSchema } from '../pgo-merge/options';
import { mergeOfApp } from '../pgo-merge/pgo-merge';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { buildApp } from '../pgo-build/app';
import { buildAppSchema } from '../pgo-build/options';
import { useInApp } from './app';
import { chooseBuild } from './choose-build';
import { useInAppSchema } from './options';

let code: Buffer;
let workspace: TestWorkspace;
beforeAll(() => {
  code = realCodeObject();
});
beforeEach(() => {
  workspace = new TestWorkspace();
});
afterEach(() => workspace.dispose());

describe('the stages of PGO on an app', () => {
  const depsWith = (more: Readonly<Record<string, FakeProgram>> = {}): FakeDeps =>
    fakeDeps({ ...pgoPrograms(code, writeApp(workspace)), ...more }, workspace.native, {
      env: installFakes(workspace),
    });
  const here = () => ({ app: workspace.app });
  const instrument = (deps: FakeDeps) => instrumentApp(instrumentAppSchema.parse(here()), deps);
  const generate = (deps: FakeDeps) => generateFromApp(generateFromAppSchema.parse(here()), deps);
  const merge = (deps: FakeDeps) => mergeOfApp(mergeOfAppSchema.parse(here()), deps);
  const build = (deps: FakeDeps, more: object = {}) => buildApp(buildAppSchema.parse({ ...here(), ...more }), deps);
  const use = (deps: FakeDeps) => useInApp(useInAppSchema.parse(here()), deps);

  it('build it once more in a folder of its own: device code with the plugin, all else as the app does', async () => {
    const deps = depsWith();
    const before = readFileSync(`${workspace.app}/program`);
    const { program } = await instrument(deps);
    expect(program).toBe(workspace.path('app/.kernloop/pgo/instrumented/program'));
    expect(readFileSync(`${workspace.app}/program`)).toEqual(before);
    const [unit, linked] = deps.calls.filter(
      ({ program: name, args }) => name === 'clang++' && !args.includes('--version'),
    );
    expect(unit && pluginOption(unit, 'kernloop-pgo-sample')).toBe('sparse:32');
    expect(linked?.args).toContain('-lamdhip64');
    const host = deps.calls.find(({ program: name }) => name === 'c++');
    expect(host?.args.filter((word) => word.includes('pgo') && !word.includes('/'))).toEqual([]);
    expect(host?.args.filter((word) => word.endsWith('host.cpp'))).toHaveLength(1);
  });

  it('run it with the collector in front of HIP, and the software GPU behind', async () => {
    const deps = depsWith();
    await instrument(deps);
    expect(await generate(deps)).toMatchObject({ files: ['app-1.amdgcn-amd-amdhsa.c0.profraw'] });
    const run = deps.calls.find(({ env }) => env['LLVM_PROFILE_FILE'] !== undefined);
    expect(run?.env['LD_PRELOAD']).toBe('libkernloop-pgo-hip.so:libkernloop-hip.so');
    expect(run?.env['LD_LIBRARY_PATH']).toMatch(/native\/lib:.*native\/lib\/softgpu/);
  });

  it('say so where it left no profile, and do not take the one of before for it', async () => {
    const deps = depsWith();
    await instrument(deps);
    await generate(deps);
    const silent = depsWith({ program: () => 0 });
    await expect(generate(silent)).rejects.toMatchObject({ code: 'PGO_PROFILE_MISSING' });
    await expect(generate(depsWith({ program: () => 3 }))).rejects.toMatchObject({ code: 'APP_FAILED' });
    expect(existsSync(workspace.path('app/.kernloop/pgo/raw'))).toBe(true);
  });

  const instrumentWith = (words: readonly string[], deps: FakeDeps) => {
    const commands = JSON.parse(workspace.read('app/build/compile_commands.json')) as { arguments: string[] }[];
    commands[0]?.arguments.push(...words);
    workspace.write('app/build/compile_commands.json', commands);
    return instrument(deps);
  };

  it('refuse device code that the linker makes, and say so by name', async () => {
    await expect(instrumentWith(['-foffload-lto=full'], depsWith())).rejects.toMatchObject({
      code: 'PGO_UNSUPPORTED',
      what: expect.stringContaining('-foffload-lto=full') as string,
    });
    expect(await instrumentWith(['-fno-offload-lto'], depsWith())).toMatchObject({ units: 2 });
  });

  it('make the device code of each unit alone, which is all that -fgpu-rdc changes', async () => {
    const deps = depsWith();
    await instrumentWith(['-fgpu-rdc'], deps);
    expect(deps.calls.flatMap(({ args }) => args).filter((word) => word.includes('rdc'))).toEqual([]);
  });

  it('never leave device code compressed', async () => {
    const deps = depsWith();
    await instrument(deps);
    const unit = deps.calls.find(({ args }) => args.some((word) => word.startsWith('-fpass-plugin=')));
    expect(unit?.args).toContain('--no-offload-compress');
  });

  it('count the host code as stock clang does, merge it by itself, and build by it', async () => {
    const deps = depsWith();
    await instrument(deps);
    const clang = () => deps.calls.filter(({ program, args }) => program === 'clang++' && !args.includes('--version'));
    const [unit, linked] = clang();
    expect(unit?.args.join(' ')).toContain('-Xarch_host -fprofile-generate');
    expect(linked?.args).toContain('-fprofile-generate');
    expect(await generate(deps)).toMatchObject({
      files: ['app-1.amdgcn-amd-amdhsa.c0.profraw'],
      host_files: ['app-1.profraw'],
    });
    const file = workspace.path('app/.kernloop/pgo/merged.profdata');
    expect(await merge(deps)).toMatchObject({
      profile: `${file}.amdgcn-amd-amdhsa.profdata`,
      host_profile: file,
    });
    const merged = deps.calls.filter(({ program }) => /^(kernloop-pgo|llvm-profdata)$/.test(program));
    const inputs = merged.map(({ args }) =>
      args.filter((word) => /\.profraw$/.test(word)).map((word) => word.split('/').at(-1)),
    );
    expect(inputs).toEqual([['app-1.amdgcn-amd-amdhsa.c0.profraw'], [], ['app-1.profraw']]);
    const before = clang().length;
    await build(deps, { gate: ['wave'] });
    const [base, , wave] = clang().slice(before);
    expect(base?.args.filter((word) => word.includes('profile'))).toEqual([]);
    expect(wave?.args.join(' ')).toContain(`-Xarch_host -fprofile-use=${file} `);
    expect(wave && pluginOption(wave, 'kernloop-pgo-profile')).toBe(`${file}.amdgcn-amd-amdhsa.profdata`);
  });

  it('leave the host out where clang has no runtime for it, and say so', async () => {
    const env = installFakes(workspace);
    rmSync(workspace.path('llvm/lib/clang'), { recursive: true });
    const deps = fakeDeps(pgoPrograms(code, writeApp(workspace)), workspace.native, { env });
    await instrument(deps);
    expect(deps.calls.flatMap(({ args }) => args).filter((word) => /^-fprofile/.test(word))).toEqual([]);
    expect(deps.said.warn.join('\n')).toMatch(/host code is not counted.*libclang-rt-22-dev/);
  });

  it('want a compile database', async () => {
    const deps = depsWith();
    workspace.write('app/kernloop.json', { name: 'app', command: ['./program'] });
    await expect(instrument(deps)).rejects.toMatchObject({ code: 'COMPILE_DATABASE_INVALID' });
  });

  it.each([
    ['sh', ['/bin/sh', 'count', './program']],
    ['a script', ['./run']],
    ['another program of the app', ['./timeit', './program']],
  ])('refuse a command that starts the app through %s', async (_, command) => {
    const deps = depsWith();
    const config = JSON.parse(workspace.read('app/kernloop.json')) as object;
    workspace.write('app/kernloop.json', { ...config, command });
    for (const [name, text] of [
      ['run', '#!/bin/sh\n./program\n'],
      ['timeit', '\u007fELF'],
    ] as const)
      chmodSync(workspace.write(`app/${name}`, text), 0o755);
    expect(await failure(instrument(deps))).toMatchObject({
      code: 'PGO_UNSUPPORTED',
      what: expect.stringContaining('not of one that starts it') as string,
    });
    expect(deps.calls.filter(({ args }) => args.includes('-c'))).toEqual([]);
  });

  it('are told to be right by each stream alone: how the two interleave is chance', async () => {
    let run = 0;
    const program: FakeProgram = ({ options }) => {
      const both = [() => options.onStdout?.('result 7\n'), () => options.onStderr?.('step 1 of 1\n')];
      for (const write of run++ % 2 === 0 ? both : both.reverse()) write();
      if (run === 6) options.onStderr?.('error: diverged\n');
      return 0;
    };
    const deps = depsWith();
    await instrument(deps);
    await generate(deps);
    await merge(deps);
    await build(deps);
    const { builds } = await use(depsWith({ program, 'kernloop-recorder': appRecorder(() => 10) }));
    expect(builds.map(({ right }) => right)).toEqual([true, true, true, true, true, false]);
  });

  it('keep the build that executes least, and never one that writes something else than the app', async () => {
    const totals = [100, 90, 80, 70, 60, 50];
    let run = -1;
    const program: FakeProgram = ({ print, options }) => {
      if (options.env?.['LLVM_PROFILE_FILE'] === undefined) run += 1;
      // The last build is the fastest, and its output is wrong.
      print(run === 5 ? 'something else' : 'the same');
      return 0;
    };
    const deps = depsWith();
    await instrument(deps);
    await generate(deps);
    await merge(deps);
    await build(deps);
    const recorder = appRecorder(() => totals[run + 1] ?? 0);
    const result = await use(depsWith({ program, 'kernloop-recorder': recorder }));
    expect(result.builds.map(({ name, total, right }) => [name, total, right])).toEqual([
      ['own', 100, true],
      ['base', 90, true],
      ['off', 80, true],
      ['uniform', 70, true],
      ['flatten', 60, true],
      ['wave', 50, false],
    ]);
    expect(result).toMatchObject({
      kept: 'flatten',
      reason: expect.stringMatching(
        /^the profile's build, gate flatten: −33\.3% against base \(.*\), −40\.0% against the app's own/,
      ) as string,
    });
  });

  it('run what was built elsewhere, without clang, and never what another profile gave', async () => {
    const deps = depsWith();
    await instrument(deps);
    await generate(deps);
    await merge(deps);
    await expect(use(deps)).rejects.toMatchObject({ code: 'PGO_BUILD_MISSING' });
    const { builds } = await build(deps, { gate: ['off', 'wave'] });
    expect(builds.map(({ name }) => name)).toEqual(['base', 'off', 'wave']);
    await build(deps, { gate: ['wave'] });
    rmSync(workspace.path('llvm'), { recursive: true });
    const elsewhere = depsWith({ 'kernloop-recorder': appRecorder(() => 10) });
    rmSync(workspace.path('llvm'), { recursive: true });
    const result = await use(elsewhere);
    expect(result.builds.map(({ name, right }) => [name, right])).toEqual([
      ['own', true],
      ['base', true],
      ['wave', true],
    ]);
    expect(elsewhere.calls.filter(({ program }) => program === 'clang++')).toEqual([]);
    writeFileSync(workspace.path('app/.kernloop/pgo/merged.profdata'), 'of another run');
    await expect(use(elsewhere)).rejects.toMatchObject({
      code: 'PGO_BUILD_MISSING',
      what: expect.stringMatching(/another profile/) as string,
    });
  });
});

describe('which build of an app is kept', () => {
  const build = (name: string, total: number, right = true) => ({
    ...{ name, total, least: total, most: total, right, program: name, sha256: name, kernels: [] },
  });

  it.each([
    ['only base is beaten', [build('own', 50), build('base', 90), build('wave', 80)]],
    ["only the app's own build is beaten", [build('own', 100), build('base', 70), build('wave', 80)]],
    [
      'its slowest run is no faster than the fastest of another',
      [build('own', 100), { ...build('base', 90), least: 84, most: 96 }, { ...build('use', 80), least: 76, most: 85 }],
    ],
    ['it is no better', [build('own', 100), build('base', 80), build('wave', 80)]],
    ['it is wrong', [build('own', 100), build('base', 90), build('wave', 10, false)]],
  ])('is none where %s', (_name, builds) => {
    expect(chooseBuild(builds, 'wave-instructions')).toMatchObject({
      kept: null,
      reason: expect.stringMatching(/^(wave|use): /) as string,
    });
  });

  it('is the one that is faster in every run', () => {
    const base = { ...build('base', 90), least: 84, most: 96 };
    const use = { ...build('use', 80), least: 76, most: 83 };
    expect(chooseBuild([build('own', 100), base, use], 'ns of GPU time')).toMatchObject({ kept: 'use' });
  });

  it('says of equal builds that they are the same', () => {
    const builds = [build('own', 100), build('base', 90), build('off', 70), build('wave', 70), build('uniform', 80)];
    expect(chooseBuild(builds, 'wave-instructions').judgements).toMatchObject({
      ...{ off: 'kept', wave: 'the same as off', uniform: 'better, but not as good as off' },
    });
  });
});
