// The whole loop of one kernel under each release of HIP, on the software GPU (docs/contributing/robustness.md).
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout, runMain, StepError } from '../../tools/console.mjs';
import { addEmulatedDriver } from './suites/emulated_driver.mjs';
import { ended, enter, installSuite, makeRoot, mirrorOf, requireRoot, rocmVersions, stopAll } from './suites/roots.mjs';

const help = `sudo node bench/rocm/loop.mjs FOLDER [options]

Takes bench/rocm/loop/weighted_sum.hip through profile, extract, recompile, validate, tune, trace and PGO, with the compiler and runtime
of each release, and prints a table. Roots of releases are made in FOLDER, as bench/rocm/suites.mjs makes them, and kept; "here" is this
machine. The exit code is 1 if a step does not end as it must.

  --kernloop FOLDER   an installed Kernloop (node e2e/install.cjs FOLDER); without it, this checkout is packed and installed
  --releases A,B      here, trixie, sid (all)
  --device D          softgpu, or hsa: AMD's own runtime of the release over the emulated kernel driver, which the checkout built with
                      its native tests. It is without trace run, which that device does not offer
  --linux R           the kernel whose driver is emulated for hsa: 6.12, or 6.1
  --targets A,B       gfx90a, gfx942, gfx1030, gfx1100, gfx9-4-generic, gfx10-3-generic, gfx11-generic (those that HIP knows)
  --mirror URL        Debian's mirror (that of this machine's apt sources)
`;

const packages = ['hipcc', 'libamdhip64-dev', 'nodejs', 'cmake', 'g\\+\\+', 'make'];
const pgoPackages = ['clang-22', 'lld-22', 'llvm-22', 'llvm-22-dev', 'libclang-rt-22-dev'];
const targets = ['gfx90a', 'gfx942', 'gfx1030', 'gfx1100'];
/** Generic targets, and the software GPU that runs their code. */
const generic = { 'gfx9-4-generic': 'gfx942', 'gfx10-3-generic': 'gfx1030', 'gfx11-generic': 'gfx1100' };
const known = { here: ['gfx90a', 'gfx1030'], trixie: targets, sid: [...targets, ...Object.keys(generic)] };
/** Only the software GPU takes its target as an option: the emulated driver has it in the environment, as hardware has. */
const targetOption = (device, softgpu) => (device === 'softgpu' ? ['--softgpu', softgpu] : []);
const reproducer = 'app/kernels/weighted-sum/weighted_sum';

const config = (device, target) => ({
  name: 'weighted-sum',
  device,
  build: {
    configure: ['cmake', '-S', '.', '-B', 'build', `-DTARGET=${target}`],
    command: ['cmake', '--build', 'build'],
    outputs: ['build'],
  },
  command: ['build/weighted_sum'],
  source: '.',
  compileCommands: 'build/compile_commands.json',
  kernels: [{ name: 'weighted_sum', match: '^weighted_sum\\(' }],
});

/** Name, edit of the kernel's source (old and new text), arguments, exit code, and words that the output must have. */
const steps = (device, softgpu) => [
  ['profile', null, ['profile', '--app', 'app', ...targetOption(device, softgpu)], 0, 'weighted_sum('],
  ['extract', null, ['extract', '--app', 'app', ...targetOption(device, softgpu)], 0, 'recompiles to the captured'],
  ['recompile', ['in[i] * weights[i % 64]', 'weights[i % 64] * in[i]'], ['recompile', reproducer], 0, ''],
  ['replay', null, ['replay', reproducer], 0, ''],
  ['validate', null, ['validate', reproducer], 0, 'Result: PASS'],
  ['recompile a wrong edit', ['if (i < n)', 'if (i < n - 1)'], ['recompile', reproducer], 0, ''],
  ['validate a wrong edit', null, ['validate', reproducer], 1, 'Result: FAIL'],
  ['recompile without it', ['if (i < n - 1)', 'if (i < n)'], ['recompile', reproducer], 0, ''],
  // Times of the emulated driver are this machine's: any result will do.
  ['tune', null, ['tune', reproducer, '--set', 'UNROLL=1,2,4'], 0, device === 'hsa' ? 'Result: ' : 'Result: best is'],
  ...(device === 'hsa'
    ? []
    : [['trace run', null, ['trace', 'run', reproducer, '--probe', 'dmat'], 0, 'PASS, as without probes']]),
];
const pgoSteps = (device) => [
  ['pgo generate', null, ['pgo-generate', reproducer], 0, 'counted'],
  ['pgo merge', null, ['pgo-merge', reproducer], 0, 'merged.profdata'],
  ['pgo use', null, ['pgo-use', reproducer], 0, device === 'hsa' ? 'ept' : 'Kept: '],
];

/** `run(command, cwd)` starts it where the release is; `outside` is its `inside` seen from here. */
async function loop({ name, run, outside, inside, kernloop, device, linux, target, hasPgo }) {
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(outside, { recursive: true });
  cpSync(join(checkout, 'bench/rocm/loop'), join(outside, 'app'), { recursive: true });
  writeFileSync(join(outside, 'package.json'), '{}\n');
  writeFileSync(join(outside, 'app/kernloop.json'), JSON.stringify(config(device, target)));
  const source = join(outside, reproducer, 'kernel_variant.hip');
  const rows = [];
  const softgpu = generic[target] ?? target;
  const env =
    device === 'hsa' ? { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: softgpu, KERNLOOP_SOFTGPU_LINUX: linux } : {};
  const all = [...steps(device, softgpu), ...(hasPgo ? pgoSteps(device) : [])];
  for (const [step, edit, args, code, words] of all) {
    if (edit && existsSync(source)) {
      const before = readFileSync(source, 'utf8');
      const after = before.replace(edit[0], edit[1]);
      if (after === before) throw new Error(`${step}: the kernel has no ${edit[0]}`);
      writeFileSync(source, after);
    }
    const got = await ended(run(['node', `${kernloop}/node_modules/kernloop/bin/kernloop.js`, ...args], inside, env));
    const isRight = got.code === code && got.text.includes(words);
    const said = got.text.trim().split('\n').slice(-3).join(' | ').slice(0, 400);
    console.log(`${name} ${step}: ${isRight ? 'ok' : `NOT as it must: ${said}`}`);
    rows.push({ step, isRight, said });
  }
  return rows;
}

const here = (folder) => (command, cwd, env) => {
  mkdirSync(join(folder, 'here'), { recursive: true });
  return spawn(command[0], command.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

async function places(release, folder, kernloop, mirror) {
  if (release === 'here') {
    const hasPgo = spawnSync('which', ['clang-22']).status === 0;
    const at = join(folder, 'here');
    return { run: here(folder), outside: at, inside: at, kernloop, hasPgo, versions: {} };
  }
  requireRoot();
  const place = join(folder, release);
  const root = await makeRoot(place, release, mirror ?? mirrorOf());
  const tools = await installSuite(place, 'loop', packages);
  if (tools.missing) throw new StepError(`${release}: ${tools.missing}`, 'look at the mirror', 5);
  const pgo = await installSuite(place, 'loop-pgo', pgoPackages);
  if (pgo.missing) console.log(`${release}: PGO is not run: ${pgo.missing}`);
  const run = (command, cwd, env) =>
    enter(root, ['sh', '-c', 'cd "$0" && exec "$@"', cwd, ...command], {
      mounts: [[kernloop, '/kernloop', 'ro']],
      env,
    });
  const versions = await rocmVersions(root);
  return {
    ...{ run, outside: join(root, 'loop'), inside: '/loop', kernloop: '/kernloop', hasPgo: !pgo.missing, versions },
  };
}

await runMain(async () => {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean' },
      kernloop: text,
      releases: text,
      device: text,
      linux: text,
      targets: text,
      mirror: text,
    },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1) throw new StepError('one FOLDER is wanted', 'node bench/rocm/loop.mjs --help', 2);
  const folder = resolve(positionals[0]);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (stopAll(), process.exit(130)));
  const kernloop = values.kernloop ? resolve(values.kernloop) : join(folder, 'kernloop');
  if (!existsSync(join(kernloop, 'node_modules')))
    await createRequire(import.meta.url)(join(checkout, 'e2e/install.cjs')).install(kernloop);
  const device = values.device ?? 'softgpu';
  if (!['softgpu', 'hsa'].includes(device)) throw new StepError(`unknown device ${device}`, 'softgpu or hsa', 2);
  if (device === 'hsa') addEmulatedDriver(kernloop);
  const results = [];
  for (const release of values.releases?.split(',') ?? Object.keys(known)) {
    if (!(release in known)) throw new StepError(`unknown release ${release}`, Object.keys(known).join(', '), 2);
    const place = await places(release, folder, kernloop, values.mirror);
    for (const target of (values.targets?.split(',') ?? known[release]).filter((one) => known[release].includes(one))) {
      const at = { ...place, outside: join(place.outside, target), inside: `${place.inside}/${target}` };
      const rows = await loop({ ...at, name: `${release} ${target}`, device, linux: values.linux ?? '6.12', target });
      results.push({ release, target, versions: place.versions, rows });
    }
  }
  if (results.length === 0) throw new StepError('nothing was run', 'name targets that the release knows', 2);
  console.log('');
  for (const { release, target, rows } of results) {
    const wrong = rows.filter(({ isRight }) => !isRight).map(({ step }) => step);
    const words = wrong.length > 0 ? `wrong: ${wrong.join(', ')}` : `${rows.length} steps ok`;
    console.log(`${release.padEnd(7)} ${target.padEnd(8)} ${words}`);
  }
  writeFileSync(join(folder, 'loop.json'), `${JSON.stringify(results, null, 2)}\n`);
  return results.some(({ rows }) => rows.some(({ isRight }) => !isRight)) ? 1 : 0;
});
