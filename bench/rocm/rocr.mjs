// AMD's own runtimes of later releases over the emulated kernel driver: rocminfo, and the native tests of the driver, of HIP's surface, of
// the agent and of the recorder (docs/contributing/softgpu.md).
import { spawn, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout, runMain, StepError } from '../../tools/console.mjs';
import { emulatedDriver } from './suites/emulated_driver.mjs';
import { ended, enter, installSuite, makeRoot, mirrorOf, requireRoot, rocmVersions, stopAll } from './suites/roots.mjs';

const help = `sudo node bench/rocm/rocr.mjs FOLDER [options]

Runs, on the unmodified ROCr and HIP of Debian 13 and unstable over the emulated kernel driver, rocminfo and ten kernels of HIP on all four targets, and this checkout's native tests that CI
runs on ROCr 5.2.3, and prints a table. Needs root, debootstrap and the built native tests. Roots are made in FOLDER, as bench/rocm/suites.mjs
makes them, and kept. The exit code is 1 if a test fails.

  --releases A,B   here (this machine's ROCr, of which CI runs the rest: the kills alone), trixie, sid (all)
  --linux R        the kernel whose driver is emulated: 6.12, or 6.1
  --kills N        captures that are killed at drawn points (100)
  --only R         the runs whose names match this expression (all)
  --mirror URL     Debian's mirror (that of this machine's apt sources)
`;

const packages = ['rocminfo', 'libamdhip64-[0-9]+'];
const compilerPackages = ['hipcc', 'libamdhip64-dev', 'g\\+\\+'];
const targets = ['gfx90a', 'gfx942', 'gfx1030', 'gfx1100'];
const built = join(checkout, 'native/build');

/**
 * The tests are linked with HIP 5.2.3, whose name of the library HIP 6 does not have. What the programs of captures use is the same there;
 * the tests of HIP's surface use structures that HIP 6 has changed, and run on HIP 5 alone.
 */
const hipOfTests = 'libamdhip64.so.5';
const librariesInRoot = '/opt/kernloop-tests';
const folderOfLibraries = '/usr/lib/x86_64-linux-gnu';

/** The filter of CI on ROCr 5.2.3, without tests of what only our own runtime tells or promises (native/capture/CMakeLists.txt). */
function filterOfCi(name) {
  const { stdout } = spawnSync('ctest', ['--test-dir', built, '--show-only=json-v1', '-R', `^${name}$`], {
    encoding: 'utf8',
  });
  const [test] = JSON.parse(stdout).tests;
  if (test === undefined) throw new StepError(`${built} has no test ${name}`, 'npm run build:native', 3);
  return test.command.at(-1).replace('--gtest_filter=', '');
}

/** Further tests, of functions or tables that the releases lack, or have otherwise. */
const leftOut = {
  // HIP 6.4 copies by kernels, which this one counts.
  softgpu_capture_test: ['*NothingMatchingStillTells*'],
  softgpu_queue_test: [
    // Options of our own runtime.
    ...['SoftgpuQueueTest.MemoryThatTheRuntimeDidNotFree*', '*NoSignalOfOursIsLeft*', '*AProgramThatClosesTheAgents*'],
    // hsa_amd_queue_create, which came with ROCm 7.13.
    ...['*AQueueMadeByDescriptor*', '*WithoutItsSlotInTheTables*', '*TheTablesThatItHandsOutAreEnough*'],
    '*AQueueInDeviceMemoryIsInHostMemory*', // the same
    '*AQueueOfTheRuntimesPool*', // the same
    '*SoftgpuHeldTest*files', // hsa_amd_ais_file_read, of ROCm 7
    '*QueuesThatAVariablePuts*', // ROCr 6.4 reads the variable: its rings in the emulated GPU's memory were not tried
  ],
  softgpu_hip_surface_test: [
    ...['Gates.*', 'Errors.OfWhatIsNotThere'],
    // HIP 5.7 and later take an allocation of no bytes and an unload of no module otherwise than 5.2.
    ...['Memory.OfAPoolOfTheProgramsOwn*', 'Modules.OfOneFileAreEachTheirOwn*'],
  ],
  softgpu_kfd_test: [],
  softgpu_busy_test: [],
};

const filter = (program, ...more) => {
  const inCi = program === 'softgpu_capture_test' ? filterOfCi('softgpu_capture_kfd') : '*-';
  return `--gtest_filter=${[inCi, ...leftOut[program], ...more].join(':')}`;
};

/** Compiles them with the compiler of the release, without the driver in the way. */
const tenKernels = (target) => [
  `ten kernels ${target}`,
  target,
  [
    ...[
      'sh',
      '-c',
      'env -u LD_PRELOAD -u LD_LIBRARY_PATH hipcc -std=c++17 -O2 --offload-arch="$0" "$1" -o "$2" && "$2"',
    ],
    ...[target, join(checkout, 'bench/rocm/ten_kernels.hip'), `/tmp/ten_kernels_${target}`],
  ],
  {},
];

/** Name, target, command, variables. */
const runs = (linux, kills) => {
  const tests = (name, target, words = [], env = {}) => [
    `${name} ${target}`,
    target,
    [join(built, 'bin', name), filter(name, ...(linux === '6.1' ? ['*Mapped*'] : [])), ...words],
    env,
  ];
  const named = (name, [, target, command, env], more) => [name, target, command, { ...env, ...more }];
  const busy = tests('softgpu_busy_test', 'gfx90a', [], { KERNLOOP_TEST_POOLS: '1', KERNLOOP_BUSY_LAUNCHES: '40' });
  const two = ['gfx90a', 'gfx1030'];
  return [
    ...targets.map((target) => [`rocminfo ${target}`, target, ['rocminfo'], {}]),
    ...targets.map(tenKernels),
    ...two.map((target) =>
      tests('softgpu_kfd_test', target, [], {
        KERNLOOP_TEST_ROCR: `${folderOfLibraries}/libhsa-runtime64.so.1`,
        KERNLOOP_TEST_KERNELS: join(built, `softgpu/kfd/tests/${target}.hsaco`),
      }),
    ),
    ...two.map((target) =>
      tests('softgpu_hip_surface_test', target, [`--object=${join(built, 'softgpu/surface/kernels.hsaco')}`], {
        HIP_MEM_POOL_SUPPORT: '1',
      }),
    ),
    ...targets.map((target) => [
      `hsa_kernels_test ${target}`,
      target,
      [join(built, 'bin/hsa_kernels_test'), `--gtest_filter=*${target}`],
      {},
    ]),
    tests('softgpu_capture_test', 'gfx90a'),
    tests('softgpu_queue_test', 'gfx90a'),
    busy,
    named('softgpu_busy_test gfx90a, arguments in device memory', busy, { HIP_FORCE_DEV_KERNARG: '1' }),
    [
      `kill_test gfx90a, ${kills} kills`,
      'gfx90a',
      [join(built, 'bin/kill_test'), '--gtest_filter=*SoftwareGpu*'],
      { KERNLOOP_KILL_ROUNDS: kills },
    ],
  ];
};

/** Whether it went well, and in a few words what came of it. */
function judged(name, { code, signal, text }) {
  if (name.startsWith('rocminfo')) {
    const target = name.split(' ')[1];
    const isListed = code === 0 && text.includes(`amdgcn-amd-amdhsa--${target}`) && text.includes('*** Done ***');
    return [isListed, isListed ? `lists ${target}` : text.trim().split('\n').slice(-3).join(' | ')];
  }
  if (name.startsWith('ten kernels')) {
    const right = [...text.matchAll(/^ok /gm)].length;
    return [code === 0 && right === 10, code === 0 ? `${right} of 10` : text.trim().split('\n').slice(-3).join(' | ')];
  }
  const passed = Number(/\[ {2}PASSED {2}\] (\d+) test/.exec(text)?.[1] ?? 0);
  const failed = new Set([...text.matchAll(/^\[ {2}FAILED {2}\] (\S+?),? \(?/gm)].map(([, one]) => one));
  const words = [`${passed} passed`, ...(failed.size > 0 ? [`failed: ${[...failed].join(', ')}`] : [])];
  const isRight = code === 0 && passed > 0 && failed.size === 0;
  return [isRight, [...words, ...(isRight ? [] : [`ended with ${signal ?? code}`])].join('; ')];
}

function linkLibraries(root) {
  const folder = join(root, librariesInRoot);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const hip = ['5', '6', '7'].map((major) => `libamdhip64.so.${major}`);
  const own = hip.find((name) => lstatSync(join(root, folderOfLibraries, name), { throwIfNoEntry: false }));
  if (own === undefined) throw new StepError(`${root} has no libamdhip64`, 'look at the mirror', 5);
  symlinkSync(join(folderOfLibraries, own), join(folder, hipOfTests));
  symlinkSync(join(folderOfLibraries, 'libhsa-runtime64.so.1'), join(folder, 'libhsa-runtime64.so.1'));
}

/** The way to start a release's programs, and the folder of their libraries. */
async function placeOf(release, folder, mirror) {
  if (release === 'here') {
    const run = ([program, ...words], env) =>
      spawn(program, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    return { versions: {}, run, libraries: folderOfLibraries };
  }
  const place = join(folder, release);
  const root = await makeRoot(place, release, mirror ?? mirrorOf());
  const installed = await installSuite(place, 'rocr', packages);
  if (installed.missing) throw new StepError(`${release}: ${installed.missing}`, 'look at the mirror', 5);
  const compiler = await installSuite(place, 'rocr-compiler', compilerPackages);
  if (compiler.missing) throw new StepError(`${release}: ${compiler.missing}`, 'look at the mirror', 5);
  linkLibraries(root);
  const run = (command, env) => enter(root, command, { mounts: [[checkout, checkout, 'ro']], env });
  return { versions: await rocmVersions(root), run, libraries: librariesInRoot };
}

await runMain(async () => {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' }, releases: text, linux: text, kills: text, only: text, mirror: text },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1) throw new StepError('one FOLDER is wanted', 'node bench/rocm/rocr.mjs --help', 2);
  requireRoot();
  const { folder: driverFolder, preload } = emulatedDriver();
  const driver = join(driverFolder, preload);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (stopAll(), process.exit(130)));
  const folder = resolve(positionals[0]);
  const linux = values.linux ?? '6.12';
  const results = [];
  for (const release of values.releases?.split(',') ?? ['here', 'trixie', 'sid']) {
    const { versions, run, libraries } = await placeOf(release, folder, values.mirror);
    console.log(`${release}: ${Object.entries(versions).flat().join(' ')}`);
    const all = runs(linux, values.kills ?? '100');
    const isHip5 = Object.keys(versions).includes('libamdhip64-5');
    const only = new RegExp(values.only ?? '');
    const fit = all.filter(([name]) => only.test(name) && (isHip5 || !name.startsWith('softgpu_hip_surface')));
    for (const [name, target, command, more] of release === 'here' ? all.slice(-1) : fit) {
      const env = {
        ...{ LD_PRELOAD: driver, KERNLOOP_SOFTGPU: target, KERNLOOP_SOFTGPU_LINUX: release === 'here' ? '6.1' : linux },
        ...{ LD_LIBRARY_PATH: libraries, KERNLOOP_TEST_SOFTGPU: libraries, ...more },
      };
      const got = await ended(run(command, env));
      const [isRight, said] = judged(name, got);
      console.log(`${release} ${name}: ${isRight ? '' : 'NOT as it must: '}${said}`);
      if (!isRight) writeFileSync(join(folder, `${release}-${name.replace(/\W+/g, '-')}.log`), got.text);
      results.push({ release, versions, linux, name, isRight, said });
    }
  }
  writeFileSync(join(folder, 'rocr.json'), `${JSON.stringify(results, null, 2)}\n`);
  const wrong = results.filter(({ isRight }) => !isRight).length;
  console.log(`\n${results.length} runs, ${wrong} not as they must`);
  return wrong > 0 || results.length === 0 ? 1 : 0;
});
