// `node tools/fuzz.mjs [TARGET…] [--seconds N]`: builds the libFuzzer programs (native/build-fuzz, needs clang 16 or
// newer) and runs each for N seconds (default 60), one after the other. Inputs that crash them are in
// native/build-fuzz/crash.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runMain, step, StepError } from './console.mjs';

const build = join(root, 'native', 'build-fuzz');
const listed = /^set\(targets ([^)]*)\)$/m
  .exec(readFileSync(join(root, 'native', 'fuzz', 'CMakeLists.txt'), 'utf8'))[1]
  .split(/\s+/);

/** The newest one: before 16, clang does not understand the <ranges> of GCC 12, which other headers include. */
function compilers() {
  const versions = [22, 21, 20, 19, 18, 17, 16];
  const version = versions.find((candidate) => existsSync(`/usr/bin/clang++-${candidate}`));
  if (version === undefined)
    throw new StepError('no clang from 16 on was found', 'apt-get install clang-22 libclang-rt-22-dev', 5);
  return [`-DCMAKE_C_COMPILER=clang-${version}`, `-DCMAKE_CXX_COMPILER=clang++-${version}`];
}

async function fuzz(target, seconds) {
  const corpus = join(build, 'corpus', target);
  const program = join(build, 'bin', `fuzz_${target}`);
  mkdirSync(corpus, { recursive: true });
  mkdirSync(join(build, 'crash'), { recursive: true });
  await step(`seeds: ${target}`, program, ['--seeds', corpus]);
  const limits = [
    `-max_total_time=${seconds}`,
    '-timeout=10',
    '-rss_limit_mb=2048',
    '-detect_leaks=0',
    '-max_len=65536',
  ];
  const outputs = [`-artifact_prefix=${join(build, 'crash', target)}-`, '-print_final_stats=1'];
  await step(`fuzz: ${target}`, program, [corpus, ...limits, ...outputs], { allowFailure: true });
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '60' } },
  });
  const unknown = positionals.find((name) => !listed.includes(name));
  if (unknown !== undefined) throw new StepError(`no fuzz target ${unknown}`, `there are ${listed.join(', ')}`, 2);
  const targets = positionals.length > 0 ? positionals : listed;
  await step('configure the fuzzers', 'cmake', [
    ...['-S', 'native', '-B', build, '-DKERNLOOP_FUZZ=ON', '-DKERNLOOP_STATIC_DEPENDENCIES=OFF'],
    '-DKERNLOOP_VECTOR_BUILDS=host',
    ...compilers(),
  ]);
  await step('build the fuzzers', 'cmake', [
    '--build',
    build,
    '-j',
    '2',
    '--target',
    ...targets.map((name) => `fuzz_${name}`),
  ]);
  for (const target of targets) await fuzz(target, values.seconds);
  const found = readdirSync(join(build, 'crash'));
  console.log(found.length === 0 ? 'nothing was found' : `found, under ${join(build, 'crash')}: ${found.join(', ')}`);
  return found.length === 0 ? 0 : 1;
});
