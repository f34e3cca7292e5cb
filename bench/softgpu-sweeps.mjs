// Long rounds of the software GPU's random tests (`npm test` runs short rounds), and third-party programs on each
// target:
//   node bench/softgpu-sweeps.mjs decoder [--count 10000000] [--seed N]   words a target, judged by LLVM
//   node bench/softgpu-sweeps.mjs streams [--count 400000] [--seed N]     streams a target, in every build of the vector semantics
//   node bench/softgpu-sweeps.mjs third-party [--targets gfx90a,gfx1030]  rocRAND as shipped, rocPRIM from its headers
// Needs `npm run build:native`. --reports A.json,B.json,… takes GoogleTest's reports of earlier runs instead of
// running; several reports of one target are added up. Results go to bench/results/softgpu-KIND.json; the exit code is
// 1 if anything disagreed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'native', 'build');

const kinds = {
  decoder: {
    what: 'random words, every second one shaped like an encoding: what the decoder and LLVM accept, and with which length',
    program: 'softgpu_isa_test',
    filter: '*OnASweep*',
    environment: ({ count, seed }) => ({
      KERNLOOP_ISA_SWEEP_WORDS: count ?? '10000000',
      KERNLOOP_ISA_SEED: seed ?? '3',
    }),
    versions: { 'llvm-mc': ['llvm-mc-15', /LLVM version (\S+)/] },
  },
  streams: {
    what: 'random streams of valid instructions: each ends well, at the limit or in a named fault, alike in every build and step by step',
    program: 'softgpu_engine_test',
    filter: '*RandomStreams*',
    environment: ({ count, seed }) => ({ KERNLOOP_STREAMS: count ?? '400000', KERNLOOP_STREAMS_SEED: seed ?? '1' }),
    versions: {},
  },
  'third-party': {
    what: 'tests of rocRAND as Debian ships it and of rocPRIM from its headers',
    versions: { hipcc: ['hipcc', /clang version (\S+)/] },
  },
};

function fail(message) {
  process.stderr.write(`softgpu-sweeps: ${message}\n`);
  process.exit(2);
}

const options = Object.fromEntries(['count', 'seed', 'targets', 'reports'].map((name) => [name, { type: 'string' }]));
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const kind = kinds[positionals[0]];
if (!kind || positionals.length !== 1) fail(`one of ${Object.keys(kinds).join(', ')} is wanted`);

/** Runs a program and returns GoogleTest's report. Its own output goes to stderr. */
function reportOf(program, args, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'softgpu-sweeps-'));
  try {
    const file = join(folder, 'report.json');
    const env = { ...process.env, ...environment };
    const ended = spawnSync(program, [...args, `--gtest_output=json:${file}`], { env, stdio: ['ignore', 2, 2] });
    if (!existsSync(file)) fail(`${program} left no report (${ended.error?.message ?? ended.signal ?? ended.status})`);
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const testsOf = (report) => report.testsuites.flatMap((suite) => suite.testsuite);
const isNumber = (text) => /^\d+$/.test(text);

/** Values that the test recorded: numbers as numbers, lists of `reason: times` as objects. */
function recordedBy(test) {
  const known = new Set([
    'name',
    'file',
    'line',
    'status',
    'result',
    'timestamp',
    'time',
    'classname',
    'value_param',
    'failures',
  ]);
  const own = Object.entries(test).filter(([name]) => !known.has(name));
  return Object.fromEntries(
    own.map(([name, value]) => {
      if (isNumber(value)) return [name, Number(value)];
      const lines = value
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(/: (?=\d+$)/));
      return [name, Object.fromEntries(lines.map(([reason, times]) => [reason, Number(times)]))];
    }),
  );
}

const constants = ['builds', 'first_seed'];

function added(sum, more) {
  if (!sum) return more;
  const names = new Set([...Object.keys(sum), ...Object.keys(more)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [a, b] = [sum[name], more[name]];
      if (typeof (a ?? b) === 'object') return [name, added(a ?? {}, b ?? {})];
      if (constants.includes(name)) return [name, Math.min(a ?? b, b ?? a)];
      return [name, (a ?? 0) + (b ?? 0)];
    }),
  );
}

function sweep() {
  const reports = values.reports
    ? values.reports.split(',').map((file) => JSON.parse(readFileSync(file, 'utf8')))
    : [reportOf(join(build, 'bin', kind.program), [`--gtest_filter=${kind.filter}`], kind.environment(values))];
  const targets = {};
  for (const test of reports.flatMap(testsOf)) {
    const target = test.name.split('/').at(-1);
    const figures = {
      disagreements: test.failures?.length ?? 0,
      seconds: Math.round(parseFloat(test.time)),
      ...recordedBy(test),
    };
    targets[target] = added(targets[target], figures);
  }
  return {
    date: reports
      .map(({ timestamp }) => timestamp.slice(0, 10))
      .sort()
      .at(-1),
    targets,
  };
}

/** rocPRIM is compiled for the target; rocRAND ships code objects for both. */
function thirdParty() {
  const folder = mkdtempSync(join(tmpdir(), 'softgpu-rocprim-'));
  const runs = [];
  try {
    for (const target of (values.targets ?? 'gfx90a,gfx1030').split(',')) {
      const program = join(folder, target);
      const source = join(root, 'native/softgpu/corpus/third_party/rocprim_test.hip');
      const flags = ['-x', 'hip', '-std=c++17', '-O2', `--offload-arch=${target}`, '-lgtest', '-lgtest_main'];
      const compiled = spawnSync('hipcc', [source, ...flags, '-o', program], {
        env: { ...process.env, HIP_PLATFORM: 'amd' },
        encoding: 'utf8',
      });
      if (compiled.status !== 0) fail(`hipcc: ${String(compiled.stderr ?? compiled.error).slice(0, 800)}`);
      for (const [library, file] of [
        ['rocRAND', join(build, 'bin', 'softgpu_rocrand_test')],
        ['rocPRIM', program],
      ]) {
        const env = { LD_LIBRARY_PATH: join(build, 'lib', 'softgpu'), KERNLOOP_SOFTGPU: target };
        const tests = testsOf(reportOf(file, [], env));
        const wrong = tests.filter(({ failures }) => failures).map(({ classname, name }) => `${classname}.${name}`);
        runs.push({ library, target, tests: tests.length, right: tests.length - wrong.length, wrong });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { date: new Date().toISOString().slice(0, 10), runs };
}

function versionOf([file, pattern]) {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', env: { ...process.env, HIP_PLATFORM: 'amd' } });
  return pattern.exec(stdout ?? '')?.[1];
}

const { date, ...found } = positionals[0] === 'third-party' ? thirdParty() : sweep();
const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
const versions = Object.fromEntries(Object.entries(kind.versions).map(([name, how]) => [name, versionOf(how)]));
const file = join(root, 'bench', 'results', `softgpu-${positionals[0]}.json`);
writeFileSync(file, `${JSON.stringify({ what: kind.what, date, commit, versions, ...found }, null, 2)}\n`);
console.log(`→ bench/results/softgpu-${positionals[0]}.json`);
const bad =
  (found.runs ?? []).some(({ wrong }) => wrong.length > 0) ||
  Object.values(found.targets ?? {}).some(({ disagreements }) => disagreements > 0);
if (bad) process.exitCode = 1;
