// The whole corpus of the software GPU: every theme with every compiler, at every level, for every target; each kernel
// is checked against the host, and the builds' results against each other.
//   node bench/softgpu-corpus.mjs [targets=gfx90a] [compilers=hipcc,clang-22] [levels=0,1,2,3]
// gfx942 and gfx1100 need clang-22; their kernels run on the HSA API, without host support for printf. Needs `npm run
// build:native`. clang-22 comes from `apt-get install clang-22 lld-22`; a missing compiler is an error, not a gap.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, corpus, root, versionOf } from './corpus/compilers.mjs';

const build = join(root, 'native', 'build');
const list = (index, fallback) => (process.argv[index] ?? fallback).split(',');
const [targets, compilers, levels] = [list(2, 'gfx90a'), list(3, 'hipcc,clang-22'), list(4, '0,1,2,3')];

/** Themes with instructions that only these targets have: matrix instructions. */
const onlyOn = { matrix: ['gfx90a', 'gfx942'], wmma: ['gfx1100'] };
/** Targets that HIP 5.2.3 does not know. */
const isWithoutHip = (target) => target === 'gfx942' || target === 'gfx1100';
/** Themes that need HIP: the host's part of printf. */
const needsHip = ['print'];
const themesOf = (target) =>
  readdirSync(join(corpus, 'kernels'))
    .filter((file) => file.endsWith('.hip'))
    .map((file) => file.slice(0, -4))
    .filter((theme) => onlyOn[theme]?.includes(target) ?? true)
    .filter((theme) => !isWithoutHip(target) || !needsHip.includes(theme))
    .sort();

async function compileAll(compiler, target, level, folder) {
  const waiting = themesOf(target);
  const worker = async () => {
    for (let theme = waiting.shift(); theme; theme = waiting.shift())
      await compile(compiler, target, level, theme, join(folder, `${theme}.hsaco`));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

const libraries = (target) => [
  ...(isWithoutHip(target) ? [join(build, 'softgpu', 'corpus', 'hip_on_hsa')] : []),
  join(build, 'lib', 'softgpu'),
];

/** Kernels whose instructions the target lacks. */
const lacking = { gfx942: ['matrix.bf16_32x32x4', 'matrix.i8_32x32x8', 'matrix.i8_16x16x16'] };
const filterOf = (target, theme) => [`${theme}.*`, ...(lacking[target] ?? [])].join(':').replace(':', '-');

/** Each theme runs in its own process, so that a crash affects no other theme. */
function runTheme(target, theme, folder) {
  const report = join(folder, `${theme}.json`);
  const args = [`--objects=${folder}`, `--gtest_filter=${filterOf(target, theme)}`, `--gtest_output=json:${report}`];
  const ended = spawnSync(join(build, 'bin', 'softgpu_corpus'), args, {
    env: { ...process.env, LD_LIBRARY_PATH: libraries(target).join(':'), KERNLOOP_SOFTGPU: target },
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (!existsSync(report))
    return [
      {
        name: `${theme}.*`,
        failure: `the process ended (${ended.signal ?? ended.status}): ${(ended.stderr ?? '').slice(-400)}`,
      },
    ];
  return JSON.parse(readFileSync(report, 'utf8')).testsuites.flatMap((suite) =>
    suite.testsuite.map((test) => ({
      name: `${theme}.${test.name}`,
      digest: test.digest,
      failure: test.failures?.[0]?.failure,
    })),
  );
}

const results = `bench/results/softgpu-corpus${targets.some(isWithoutHip) ? `-${targets.join('-')}` : ''}.json`;
const runs = [];

/** Kernels whose result bits differ between the given runs, with the groups that agree. */
function disagreements(selected) {
  const names = [...new Set(selected.flatMap(({ tests }) => tests.map(({ name }) => name)))].sort();
  return names.flatMap((name) => {
    const byDigest = new Map();
    for (const { target, compiler, level, tests } of selected) {
      const digest = tests.find((test) => test.name === name)?.digest;
      if (digest) byDigest.set(digest, [...(byDigest.get(digest) ?? []), `${target} ${compiler} ${level}`]);
    }
    if (byDigest.size < 2) return [];
    return [{ name, groups: [...byDigest.values()] }];
  });
}

function report() {
  return {
    what: 'kernels of native/softgpu/corpus right against the host, by target, compiler and level',
    date: new Date().toISOString().slice(0, 10),
    commit: spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim(),
    versions: Object.fromEntries(compilers.map((compiler) => [compiler, versionOf(compiler)])),
    runs: runs.map(({ target, compiler, level, tests }) => ({
      target,
      compiler,
      level,
      kernels: tests.length,
      right: tests.filter(({ failure }) => !failure).length,
      wrong: tests.filter(({ failure }) => failure).map(({ name }) => name),
    })),
    different_bits_within_a_target: Object.fromEntries(
      targets.map((target) => [target, disagreements(runs.filter((run) => run.target === target))]),
    ),
    different_bits_across_targets: targets.length > 1 ? disagreements(runs).map(({ name }) => name) : undefined,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'softgpu-corpus-'));
try {
  for (const target of targets) {
    for (const compiler of compilers) {
      for (const level of levels) {
        const objects = join(folder, `${target}-${compiler}-O${level}`);
        mkdirSync(objects);
        await compileAll(compiler, target, level, objects);
        const tests = themesOf(target).flatMap((theme) => runTheme(target, theme, objects));
        const failed = tests.filter(({ failure }) => failure);
        runs.push({ target, compiler, level: `-O${level}`, tests });
        writeFileSync(join(root, results), `${JSON.stringify(report(), null, 2)}\n`);
        console.log(
          `${target} ${compiler} -O${level}: ${tests.length - failed.length} of ${tests.length} kernels right`,
        );
        for (const { name, failure } of failed)
          console.log(`  ${name}: ${failure.split('\n').slice(0, 6).join('\n    ')}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(`→ ${results}`);
if (runs.some(({ tests }) => tests.some(({ failure }) => failure))) process.exitCode = 1;
