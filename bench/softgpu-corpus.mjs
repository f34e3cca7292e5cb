// The software GPU's corpus, whole: every theme by every compiler, at every level, for every target; each kernel checked against the
// host, and the builds' results with each other.
//   node bench/softgpu-corpus.mjs [targets=gfx90a] [compilers=hipcc,clang-22] [levels=0,1,2,3]
// Needs `npm run build:native`. clang-22 comes from `apt-get install clang-22 lld-22`; a compiler that is not there is an error, not a gap.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = join(root, 'native', 'softgpu', 'corpus');
const build = join(root, 'native', 'build');
const list = (index, fallback) => (process.argv[index] ?? fallback).split(',');
const [targets, compilers, levels] = [list(2, 'gfx90a'), list(3, 'hipcc,clang-22'), list(4, '0,1,2,3')];

/** Themes that use what a target does not have: gfx1030 has no matrix instructions. */
const onlyOn = { matrix: ['gfx90a'] };
const themesOf = (target) =>
  readdirSync(join(corpus, 'kernels'))
    .filter((file) => file.endsWith('.hip'))
    .map((file) => file.slice(0, -4))
    .filter((theme) => onlyOn[theme]?.includes(target) ?? true)
    .sort();

const commands = {
  hipcc: (target, level) => ['hipcc', ['--genco', `-O${level}`, `--offload-arch=${target}`]],
  'clang-22': (target, level) => {
    const wave = target === 'gfx90a' ? 64 : 32;
    return [
      'clang++-22',
      [
        ...['-x', 'hip', '--cuda-device-only', `-O${level}`, `--offload-arch=${target}`, '-mcode-object-version=4'],
        ...[`-D__AMDGCN_WAVEFRONT_SIZE=${wave}`, `-D__AMDGCN_WAVEFRONT_SIZE__=${wave}`],
        ...['--rocm-path=/usr', '--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode'],
        ...['-include', join(corpus, 'clang22.h'), '-Wno-everything'],
      ],
    ];
  },
};

function compile(compiler, target, level, theme, folder) {
  const [file, args] = commands[compiler](target, level);
  const object = join(folder, `${theme}.hsaco`);
  const words = [...args, '-std=c++17', join(corpus, 'kernels', `${theme}.hip`), '-o', object];
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, {
      env: { ...process.env, HIP_PLATFORM: 'amd' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (data) => (text += data));
    child.on('error', (error) => reject(new Error(`${file} cannot be run (${error.message})`)));
    child.on('close', (code) =>
      code === 0 && existsSync(object)
        ? resolve()
        : reject(new Error(`${file} -O${level} ${theme} for ${target}: ${text.slice(0, 800)}`)),
    );
  });
}

async function compileAll(compiler, target, level, folder) {
  const waiting = themesOf(target);
  const worker = async () => {
    for (let theme = waiting.shift(); theme; theme = waiting.shift())
      await compile(compiler, target, level, theme, folder);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** A theme a process, so that one that ends its process takes no other with it. */
function runTheme(target, theme, folder) {
  const report = join(folder, `${theme}.json`);
  const args = [`--objects=${folder}`, `--gtest_filter=${theme}.*`, `--gtest_output=json:${report}`];
  const ended = spawnSync(join(build, 'bin', 'softgpu_corpus'), args, {
    env: { ...process.env, LD_LIBRARY_PATH: join(build, 'lib', 'softgpu'), KERNLOOP_SOFTGPU: target },
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

const folder = mkdtempSync(join(tmpdir(), 'softgpu-corpus-'));
const runs = [];
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

/** Kernels whose result bits are not the same in all the runs given, with the groups that agree. */
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

const results = {
  what: 'kernels of native/softgpu/corpus right against the host, by target, compiler and level',
  versions: {
    hipcc: /clang version \S+/.exec(
      spawnSync('hipcc', ['--version'], { encoding: 'utf8', env: { ...process.env, HIP_PLATFORM: 'amd' } }).stdout ??
        '',
    )?.[0],
    'clang-22': compilers.includes('clang-22')
      ? /clang version \S+/.exec(spawnSync('clang++-22', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0]
      : undefined,
  },
  runs: runs.map(({ target, compiler, level, tests }) => ({
    target,
    compiler,
    level,
    kernels: tests.length,
    right: tests.filter(({ failure }) => !failure).length,
    wrong: tests.filter(({ failure }) => failure).map(({ name }) => name),
  })),
  same_bits_within_a_target: Object.fromEntries(
    targets.map((target) => {
      const differing = disagreements(runs.filter((run) => run.target === target));
      return [target, { kernels: runs.find((run) => run.target === target).tests.length, differing }];
    }),
  ),
  same_bits_across_targets: targets.length > 1 ? disagreements(runs).map(({ name }) => name) : undefined,
};
writeFileSync(join(root, 'bench', 'results', 'softgpu-corpus.json'), `${JSON.stringify(results, null, 2)}\n`);
console.log('→ bench/results/softgpu-corpus.json');
if (results.runs.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
